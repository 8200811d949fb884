/** Posts messages to addresses that others chose; checks the addresses, and limits size and time. */

import { type AddressGuard, createConnectionGuard } from './address-guard.ts';
import { causeCode } from '../../errors.ts';

/** Outcome of an attempt. `gone`: the receiver does not want any further messages. */
export interface Outcome {
  readonly kind: 'accepted' | 'failed' | 'gone';
  /** For example `http_204`, `timeout`, `address_refused` or `ECONNREFUSED`. */
  readonly detail: string;
}

export type Sender = ReturnType<typeof createSender>;

// The contract's limit for the whole call: looking up the name, connecting, sending, and receiving the status.
const timeoutMs = 5000;
const answerBytesRead = 16_384;

/** Posts to receivers and does not follow redirects; of the response, only the status is used. */
export function createSender({ guard }: { readonly guard: AddressGuard }) {
  let opened: ReturnType<typeof openClient> | null = null;

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
        // The body is read only so that the connection can be reused.
        await answer.body
          .dump({ limit: answerBytesRead, signal })
          .catch(() => answer.body.destroy());
        const { statusCode } = answer;
        const isAccepted = statusCode >= 200 && statusCode < 300;
        const kind = statusCode === 410 ? 'gone' : isAccepted ? 'accepted' : 'failed';
        return { kind, detail: `http_${statusCode}` };
      } catch (error) {
        return {
          kind: 'failed',
          detail: signal.aborted ? 'timeout' : causeCode(error) || 'connection_failed',
        };
      }
    },
    close: async () => (await opened)?.agent.destroy(),
  };
}

/** Loads the library when the first message is sent, because many servers never send any. */
async function openClient(guard: AddressGuard) {
  const { Agent, buildConnector, request } = await import('undici');
  const { lookup, ...addresses } = createConnectionGuard(guard);
  const open = buildConnector({ lookup, timeout: timeoutMs, allowH2: false });
  const connect: typeof open = (options, callback) => {
    const refusal = addresses.refusalOf(options.hostname);
    if (refusal !== null) callback(refusal, null);
    else open(options, callback);
  };
  return { agent: new Agent({ connect }), request };
}
