/** Everything that pictures need on their way to one tenant of a server, opened once for all of them. */

import { createTransfer } from '../../../client/transfer.ts';
import { openServer } from '../../server/open.ts';
import { createRemoteAnalyses } from './analyses.ts';
import type { Desk } from './deliver.ts';
import { openJournal } from './journal.ts';
import type { RemoteOptions } from './usage.ts';

export interface Service {
  deskFor(options: RemoteOptions, signal: AbortSignal): Desk;
  close(): Promise<void>;
}

/** @throws {ForensicsError} what every picture would meet: `server_*`, `unauthenticated`, `forbidden`, `config_invalid`. */
export async function openService({ tenant, ...options }: RemoteOptions): Promise<Service> {
  const api = await openServer(options);
  const transfer = createTransfer(api);
  const close = async () => {
    await transfer.close();
    await api.close();
  };
  try {
    await createRemoteAnalyses(api, tenant, new AbortController().signal).check();
    const journal = openJournal({ origin: api.url.origin, tenantName: tenant });
    return {
      deskFor: (given, signal) => {
        const analyses = createRemoteAnalyses(api, tenant, signal);
        return { options: given, analyses, transfer, journal, signal };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
