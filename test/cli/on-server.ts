import { join } from 'node:path';
import type { OpenServer } from '../unit/server/open-server.ts';

type Listening = Pick<OpenServer, 'server' | 'dataDir'>;

export function urlOf({ server }: Pick<Listening, 'server'>): string {
  // Fastify is given a ready-made TLS server and does not know that it is one.
  return server.listeningOrigin.replace(/^http:/, 'https:');
}

export function caOf({ dataDir }: Pick<Listening, 'dataDir'>): string {
  return join(dataDir, 'tls', 'ca.pem');
}

/** The options that direct a command to a listening server. */
export function onServer(open: Listening): readonly string[] {
  return ['--url', urlOf(open), '--ca', caOf(open)];
}
