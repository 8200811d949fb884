/** The way to one tenant of a server and to where it keeps files, opened once and proven by one request. */

import { createTransfer, type Transfer } from '../../../client/transfer.ts';
import { checkAccess } from '../../server/check-access.ts';
import { openServer } from '../../server/open.ts';
import type { ServerOptions } from '../../service-options.ts';
import { createRemoteAnalyses, type RemoteAnalyses } from './analyses.ts';

export interface Connection {
  /** Scheme, host and port of the server. */
  readonly origin: string;
  readonly transfer: Transfer;
  analysesFor(signal: AbortSignal): RemoteAnalyses;
  close(): Promise<void>;
}

/** @throws {ForensicsError} what every request would meet: `server_*`, `unauthenticated`, `forbidden`. */
export async function openConnection(
  options: ServerOptions & { readonly tenant: string },
): Promise<Connection> {
  const api = await openServer(options);
  const transfer = createTransfer(api);
  const analysesFor = (signal: AbortSignal) => createRemoteAnalyses(api, options.tenant, signal);
  const close = async () => {
    await transfer.close();
    await api.close();
  };
  try {
    // One request that is not repeated for long: an address, a key or a tenant that is wrong shows at once.
    await checkAccess(api, options.tenant);
  } catch (error) {
    await close();
    throw error;
  }
  return { origin: api.url.origin, transfer, analysesFor, close };
}
