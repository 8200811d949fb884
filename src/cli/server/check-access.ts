import type { Api, ApiRequest } from '../../client/api.ts';
import { succeeded } from '../../contract/common.ts';

/**
 * Asks for as little as there is, to learn whether the server knows who asks and lets them act for the tenant.
 *
 * @throws {ForensicsError} `unauthenticated`, `forbidden`; as `Api.ask`.
 */
export async function checkAccess(
  api: Pick<Api, 'ask'>,
  tenantName: string,
  who: Pick<ApiRequest, 'authorization'> = {},
): Promise<void> {
  const query = { tenantName, limit: 1 };
  await api.ask({ method: 'GET', path: '/v1/analysis', query, ...who }, succeeded);
}
