/** Where the service lies, how it is reached, and by which certificate it is known. */

import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { readOwnTls } from '../../server/tls.ts';
import { ForensicsError } from '../../errors.ts';
import { askLine, choose } from '../prompts/ask.ts';
import { say } from '../talk.ts';
import { type Chosen, faultOf } from './answers.ts';

export async function askDataDir(proposed: string): Promise<string> {
  const message = 'Data folder, for database, pictures and keys:';
  return resolve(await askLine({ message, fallback: proposed, fault: faultOf('dataDir') }));
}

export async function askAddress(): Promise<Chosen> {
  const reach = await choose('Who is to reach the server?', [
    { value: 'machine', name: 'programs on this machine' },
    { value: 'network', name: 'other machines, directly' },
    { value: 'proxy', name: 'other machines, through a proxy on this machine' },
  ]);
  const port = Number(
    await askLine({ message: 'Port to listen on:', fallback: '8443', fault: faultOf('port') }),
  );
  if (reach === 'machine') return { port };
  const isProxy = reach === 'proxy';
  const publicUrl = await askLine({
    message: 'Address that clients use:',
    fallback: `https://${hostname()}${isProxy ? '' : `:${port}`}`,
    fault: faultOf('publicUrl'),
  });
  return isProxy ? { port, publicUrl, behindProxy: true } : { port, publicUrl, host: '0.0.0.0' };
}

/** Asks until the two files can be used. */
export async function askCertificate(): Promise<Chosen> {
  const kind = await choose('Which certificate is it to show?', [
    { value: 'own', name: 'one of its own authority, made at the first start' },
    { value: 'files', name: 'mine, from two PEM files' },
  ]);
  if (kind === 'own') return {};
  for (;;) {
    const tlsCert = resolve(await askLine({ message: 'File of the certificate:' }));
    const tlsKey = resolve(await askLine({ message: 'File of its private key:' }));
    try {
      readOwnTls(tlsCert, tlsKey, new Date());
      return { tlsCert, tlsKey };
    } catch (error) {
      if (!(error instanceof ForensicsError)) throw error;
      say(error.message);
    }
  }
}
