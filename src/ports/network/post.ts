/**
 * Makes one POST to a receiver, with address checks and a time limit, without redirects. Only the status of the
 * response is used.
 */

import type { buildConnector } from 'undici';
import { type AddressGuard, createConnectionGuard } from './address-guard.ts';

/** Outcome of an attempt. `gone`: the receiver wants no more messages. */
export interface Outcome {
  readonly kind: 'accepted' | 'failed' | 'gone';
  /** Such as `http_204`, `timeout`, `address_refused`, `ECONNREFUSED`. */
  readonly detail: string;
}

export type Sender = ReturnType<typeof createSender>;

// The contract's limit for the whole call: name lookup, connection, request and status.
const timeoutMs = 5000;
const answerBytesRead = 16_384;

export function createSender({ guard }: { readonly guard: AddressGuard }) {
  let opened: Promise<Client> | null = null;

  return {
    async post(
      url: string,
      body: string,
      headers: Readonly<Record<string, string>>,
    ): Promise<Outcome> {
      const { agent, request } = await (opened ??= openClient(guard));
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const options = { method: 'POST', headers, body, signal, dispatcher: agent } as const;
        const answer = await request(url, options);
        // Read only so that the connection can be reused.
        await answer.body
          .dump({ limit: answerBytesRead, signal })
          .catch(() => answer.body.destroy());
        const { statusCode } = answer;
        const isAccepted = statusCode >= 200 && statusCode < 300;
        const kind = statusCode === 410 ? 'gone' : isAccepted ? 'accepted' : 'failed';
        return { kind, detail: `http_${statusCode}` };
      } catch (error) {
        return { kind: 'failed', detail: signal.aborted ? 'timeout' : connectionCode(error) };
      }
    },
    close: async () => (await opened)?.agent.destroy(),
  };
}

type Client = Awaited<ReturnType<typeof openClient>>;

/** Loads the library for the first message only: many servers send none. */
async function openClient(guard: AddressGuard) {
  const { Agent, buildConnector, request } = await import('undici');
  return { agent: new Agent({ connect: guardedConnector(buildConnector, guard) }), request };
}

/** Connects only to allowed addresses. */
export function guardedConnector(
  build: typeof buildConnector,
  guard: AddressGuard,
): buildConnector.connector {
  const { lookup, ...addresses } = createConnectionGuard(guard);
  const connect = build({ lookup, timeout: timeoutMs, allowH2: false });
  return (options, callback) => {
    const refusal = addresses.refusalOf(options.hostname);
    if (refusal !== null) callback(refusal, null);
    else connect(options, callback);
  };
}

/** Error code, such as `ECONNREFUSED` or `address_refused`. */
export function connectionCode(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return 'connection_failed';
}
