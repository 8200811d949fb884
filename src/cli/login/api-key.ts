import type { Api } from '../../client/api.ts';
import { usageError } from '../failure.ts';
import { apiKeyFrom } from '../server/api-key.ts';
import { checkAccess } from '../server/check-access.ts';
import type { LoggedIn } from './run.ts';

/** @throws {ForensicsError} `usage` when no tenant is named; what the server says to the key. */
export async function proveKey(
  api: Api,
  file: string,
  tenant: string | undefined,
): Promise<LoggedIn> {
  if (tenant === undefined) throw usageError('Say whose key it is: --tenant NAME.');
  const apiKey = await apiKeyFrom(file);
  await checkAccess(api, tenant, { authorization: `ApiKey ${apiKey}` });
  return { credentials: { kind: 'apiKey', apiKey }, tenant };
}
