/** The certificates that a server shows, seen on a connection that sends nothing and believes nothing. */

import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { ForensicsError } from '../errors.ts';
import { toConnectionFailure } from './failures.ts';

const timeoutMs = 10_000;

/**
 * The certificate with this fingerprint. Nothing is said about the others, nor whether the chain holds: that is for
 * the connection that trusts it to find out.
 *
 * @param sha256 - 64 small hexadecimal digits.
 * @throws {ForensicsError} `server_untrusted` when it is not shown, `server_unreachable`.
 */
export async function findShown(url: URL, sha256: string): Promise<X509Certificate> {
  const shown = await shownChain(url).catch((error: unknown) => {
    throw toConnectionFailure(error, url);
  });
  const found = shown.find((certificate) => plain(certificate.fingerprint256) === sha256);
  if (found !== undefined) return found;
  const seen = shown.map(({ subject, fingerprint256 }) => `${oneLine(subject)} ${fingerprint256}`);
  throw new ForensicsError(
    'server_untrusted',
    `No certificate of ${url.host} has the SHA-256 of --fingerprint. It shows: ${seen.join('; ')}. Compare with what "openssl x509 -noout -fingerprint -sha256 -in tls/ca.pem" tells in the data folder of the server; if that differs too, somebody else answers in its place.`,
  );
}

/** The server's own certificate first. */
export async function shownChain({ hostname, port }: URL): Promise<readonly X509Certificate[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({
    host,
    port: port === '' ? 443 : Number(port),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    // Only to look: not a byte of ours goes over this connection.
    rejectUnauthorized: false,
  });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve).once('error', reject);
      socket.setTimeout(timeoutMs, () =>
        reject(new DOMException('The server does not answer.', 'TimeoutError')),
      );
    });
    return chainFrom(socket.getPeerX509Certificate());
  } finally {
    socket.destroy();
  }
}

function chainFrom(leaf: X509Certificate | undefined): readonly X509Certificate[] {
  const chain: X509Certificate[] = [];
  // One that signed itself names itself as its issuer.
  for (let at = leaf; at !== undefined; at = at.issuerCertificate) {
    const { fingerprint256 } = at;
    if (chain.some((before) => before.fingerprint256 === fingerprint256)) break;
    chain.push(at);
  }
  return chain;
}

function plain(fingerprint: string): string {
  return fingerprint.replaceAll(':', '').toLowerCase();
}

function oneLine(subject: string): string {
  return subject.replaceAll('\n', ', ');
}
