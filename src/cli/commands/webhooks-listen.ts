/** `forensics webhooks listen`. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { checkSignature, type SignatureCheck } from '../../webhooks/signature.ts';
import { usageError } from '../errors.ts';
import { readText } from '../output/files.ts';
import { print, printable, say } from '../output/print.ts';
import { listenFailure } from '../serve/listen.ts';
import { stopRequested } from '../serve/run.ts';

export interface ListenOptions {
  readonly port: number;
  readonly secretFile?: string;
  readonly json: boolean;
}

const host = '127.0.0.1';

/** Returns when it is asked to stop. */
export async function listen({ port, secretFile, json }: ListenOptions): Promise<void> {
  const secret = secretFile === undefined ? null : await secretFrom(secretFile);
  const stop = stopRequested();
  const server = createReceiver({
    secret,
    now: () => new Date(),
    onMessage: json ? printLine : printMessage,
  });
  const url = await opened(server, port);
  if (json) print(JSON.stringify({ url }));
  say(`Listening on ${url}; Ctrl-C ends it.`);
  if (secret === null) say('Signatures are not checked; that takes --secret-file.');
  await stop;
  server.close();
  server.closeAllConnections();
}

async function secretFrom(file: string): Promise<string> {
  const secret = (await readText(file)).trim();
  if (/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) return secret;
  throw usageError(
    '--secret-file must hold one line that begins with whsec_, as "forensics tenant webhook-secret" prints it.',
  );
}

async function opened(server: Server, port: number): Promise<string> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenFailure(error, { host, port, hostSetting: '--port', portSetting: '--port' });
  }
  const address = server.address();
  // Not port itself: 0 lets the system choose.
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host}:${taken}/`;
}

/** The body stays text: what was signed is what is shown. */
function printLine(message: ReceivedMessage): void {
  print(JSON.stringify(message));
}

function printMessage(message: ReceivedMessage): void {
  const { receivedDate, event, id, signature, isRepetition, body } = message;
  const repeated = isRepetition ? ', a repetition' : '';
  const about = `${event || 'no event'}  ${id || 'no id'}  signature ${signature}${repeated}`;
  print(printable(`${receivedDate}  ${about}`));
  print(`  ${printable(body)}`);
}

// A receiver of webhooks for trials: takes what comes, checks the signature, and hands it on to be printed.

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
