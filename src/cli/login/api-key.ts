import { Type } from 'typebox';
import type { Api } from '../../client/api.ts';
import { succeeded } from '../../server/schemas/words.ts';
import { usageError } from '../failure.ts';
import { apiKeyFrom } from '../server/api-key.ts';
import type { LoggedIn } from './run.ts';

/** @throws {ForensicsError} `usage` when no tenant is named; what the server says to the key. */
export async function proveKey(
  api: Api,
  file: string,
  tenant: string | undefined,
): Promise<LoggedIn> {
  if (tenant === undefined) throw usageError('Say whose key it is: --tenant NAME.');
  const apiKey = await apiKeyFrom(file);
  const asked = { method: 'GET', path: '/v1/analysis', authorization: `ApiKey ${apiKey}` } as const;
  await api.ask({ ...asked, query: { tenantName: tenant, limit: 1 } }, anyAnswer);
  return { credentials: { kind: 'apiKey', apiKey }, tenant };
}

const anyAnswer = Type.Object(succeeded.properties);
