/** A receiver of webhooks for trials: takes what comes, checks the signature, and hands it on to be printed. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { checkSignature, type SignatureCheck } from '../../webhooks/signature.ts';

export interface ReceivedMessage {
  readonly receivedDate: string;
  /** Empty where the header did not come, as for `id`. */
  readonly event: string;
  readonly id: string;
  readonly signature: SignatureCheck | 'not checked';
  /** Whether a message of this id has come before. */
  readonly isRepetition: boolean;
  readonly body: string;
}

export interface ReceiverOptions {
  /** Null: signatures are not checked. */
  readonly secret: string | null;
  readonly now: () => Date;
  readonly onMessage: (message: ReceivedMessage) => void;
}

const bodyBytesTaken = 1 << 20;

export function createReceiver({ secret, now, onMessage }: ReceiverOptions): Server {
  const seen = new Set<string>();

  function read(request: IncomingMessage, body: string): ReceivedMessage {
    const header = (name: string) => String(request.headers[name] ?? '');
    const id = header('webhook-id');
    const timestamp = header('webhook-timestamp');
    const received = { id, timestamp, signature: header('webhook-signature'), body };
    const signature = secret === null ? 'not checked' : checkSignature(secret, received, now());
    const isRepetition = id !== '' && seen.has(id);
    seen.add(id);
    const event = header('webhook-event');
    return { receivedDate: now().toISOString(), event, id, signature, isRepetition, body };
  }

  return createServer((request, response) => {
    if (request.method !== 'POST') return refuse(response, 405);
    collect(request)
      .then((body) => {
        if (body === null) return refuse(response, 413);
        const message = read(request, body);
        onMessage(message);
        response.statusCode = isGood(message) ? 204 : 401;
        response.end();
      })
      // The sender broke off: nobody is left to be answered.
      .catch(() => response.destroy());
  });
}

const isGood = ({ signature }: ReceivedMessage) =>
  signature === 'valid' || signature === 'not checked';

/** Null for a body that is too large. */
async function collect(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > bodyBytesTaken) return null;
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}

function refuse(response: ServerResponse, status: 405 | 413): void {
  response.writeHead(status, { connection: 'close', ...(status === 405 ? { allow: 'POST' } : {}) });
  response.end();
}
