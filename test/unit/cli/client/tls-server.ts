/** HTTPS servers with good or bad certificates. */

import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { issueAuthority, type Issued, issueLeaf } from '../../../../src/server/certificate.ts';
import { listen } from '../../../fixtures/listen.ts';

const dayMs = 86_400_000;

export async function newAuthority(name: string): Promise<Issued> {
  return issueAuthority(name, validity(-2000, 2000));
}

/** @param days - validity, counted from today. */
export async function newLeaf(
  issuer: Issued,
  hosts: readonly string[] = ['localhost', '127.0.0.1'],
  days: readonly [from: number, to: number] = [-1, 1],
): Promise<Issued> {
  return issueLeaf(issuer, hosts, validity(...days));
}

/** The authority that most tests trust, and the certificate that it issued to the server. */
export const authority = await newAuthority('an authority of tests');
export const leaf = await newLeaf(authority);
export const authorityPem = authority.certificate.toString();

function validity(from: number, to: number) {
  return { notBefore: inDays(from), notAfter: inDays(to) };
}

function inDays(days: number): Date {
  return new Date(Date.now() + days * dayMs);
}

export interface TlsServer {
  readonly url: string;
  /** How many requests got through the handshake. */
  readonly requests: () => number;
}

/** @param chain - certificates sent after the leaf. */
export async function openTlsServer(
  own: Issued,
  chain: readonly Issued[] = [],
  listener: RequestListener = answerPong,
): Promise<TlsServer> {
  let requests = 0;
  const server = createServer(
    {
      cert: [own, ...chain].map(({ certificate }) => certificate.toString()).join('\n'),
      key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    },
    (request, response) => {
      requests += 1;
      listener(request, response);
    },
  );
  return { url: `https://localhost:${await listen(server)}`, requests: () => requests };
}

const answerPong: RequestListener = (_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ success: true, data: { message: 'pong' } }));
};
