/** `forensics webhooks listen`. */

import { once } from 'node:events';
import type { Server } from 'node:http';
import { usageError } from '../failure.ts';
import { printable } from '../printable.ts';
import { readText } from '../read-text.ts';
import { print, say } from '../talk.ts';
import { listenFailure } from '../serve/listen.ts';
import { stopRequested } from '../serve/stop.ts';
import { createReceiver, type ReceivedMessage } from './receiver.ts';

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
