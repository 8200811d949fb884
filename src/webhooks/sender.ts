/** One POST to a receiver: guarded, bounded in time, no redirect followed, nothing of the answer kept but its status. */

import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, request } from 'undici';
import type { AddressGuard } from './address-guard.ts';

/** What became of an attempt. `gone`: the receiver wants no more messages, ever. */
export interface Outcome {
  readonly kind: 'accepted' | 'failed' | 'gone';
  /** `http_204`, `timeout`, `address_refused`, `ECONNREFUSED`, ... */
  readonly detail: string;
}

export interface Sender {
  post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<Outcome>;
  close(): Promise<void>;
}

// The contract's limit, for the whole call: name, connection, request and status of the answer.
const timeoutMs = 5000;
const answerBytesRead = 16_384;

export function createSender({ guard }: { readonly guard: AddressGuard }): Sender {
  const agent = new Agent({ connect: guardedConnector(guard) });

  return {
    async post(url, body, headers) {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const options = { method: 'POST', headers, body, signal, dispatcher: agent } as const;
        const answer = await request(url, options);
        // The status has decided; the rest is read only so that the connection can be used again.
        const drop = () => answer.body.destroy();
        await answer.body.dump({ limit: answerBytesRead, signal }).catch(drop);
        return judge(answer.statusCode);
      } catch (error) {
        return { kind: 'failed', detail: signal.aborted ? 'timeout' : codeOf(error) };
      }
    },
    close: () => agent.destroy(),
  };
}

function judge(status: number): Outcome {
  const detail = `http_${status}`;
  if (status === 410) return { kind: 'gone', detail };
  return { kind: status >= 200 && status < 300 ? 'accepted' : 'failed', detail };
}

class AddressRefused extends Error {
  readonly code = 'address_refused';
}

/** Addresses are checked where they are used: names after their resolution, literals before the connection. */
function guardedConnector(guard: AddressGuard): buildConnector.connector {
  const connect = buildConnector({
    lookup: guardedLookup(guard),
    timeout: timeoutMs,
    allowH2: false,
  });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !guard.isAllowed(host)) callback(new AddressRefused(), null);
    else connect(options, callback);
  };
}

function guardedLookup(guard: AddressGuard): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const allowed = found.filter(({ address }) => guard.isAllowed(address));
      const first = allowed[0];
      if (first === undefined) return callback(new AddressRefused(), '');
      if (options.all === true) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });
  };
}

function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return 'connection_failed';
}
