/** Connects an `Api` to the server that the user described. */

import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { ForensicsError } from '../../errors.ts';
import type { Pace } from '../../retry.ts';
import { type Api, type Authorize, createApi, withRetry } from './api.ts';
import { toConnectionFailure } from './errors.ts';

interface Access {
  readonly url: string;
  readonly trust: Trust;
  /** Left out without credentials. */
  readonly authorize?: Authorize;
  /** How the program names itself to the server. */
  readonly userAgent: string;
  /** The real one when left out. */
  readonly pace?: Pace;
}

/** @throws {ForensicsError} `usage` for an address that is not one of HTTPS; `server_untrusted`, `server_unreachable`. */
export async function openApi(access: Access): Promise<Api> {
  const { trust, authorize = async () => null, userAgent, pace } = access;
  const url = httpsAddress(access.url);
  const dispatcher = await connectionsTo(url, trust);
  return createApi({ url, dispatcher, authorize, userAgent, pace });
}

/** @throws {ForensicsError} `usage`. */
export function httpsAddress(text: string): URL {
  const url = URL.parse(text);
  const isBare =
    url !== null &&
    [url.search, url.hash, url.username, url.password].every((part) => part === '') &&
    url.pathname === '/';
  if (isBare && url.protocol === 'https:') return url;
  const hint = url?.protocol === 'http:' ? '; plain HTTP is not spoken' : '';
  throw new ForensicsError(
    'usage',
    `A server is named like https://forensics.example:8443${hint}.`,
  );
}

/** How to verify the identity of a server. */
export type Trust =
  /** By an authority that Node.js or the system knows, or by one of these, PEM. */
  | { readonly by: 'system'; readonly also?: string }
  /** By one of these alone, PEM. */
  | { readonly by: 'authority'; readonly pem: string }
  /** SHA-256 of a certificate that the server has to show, 64 small hexadecimal digits: its own, or that of an authority. */
  | { readonly by: 'fingerprint'; readonly sha256: string };

const triesToLook = 3;

/**
 * Connections to the server at `url`, or to no server at all. Each checks the host name and the time too.
 *
 * A pin is not a check switched off: the certificate that has it is looked up on a connection that sends nothing, and
 * is then the only one that is trusted. That look goes past a proxy, so connections with a pin go past it too.
 *
 * @throws {ForensicsError} `server_untrusted` when no certificate of the server has the fingerprint, `server_unreachable`.
 */
async function connectionsTo(url: URL, trust: Trust): Promise<Dispatcher> {
  if (trust.by !== 'fingerprint') return connectionsUnder(trust);
  const pinned = await withRetry(() => findShown(url, trust.sha256), { tries: () => triesToLook });
  const context = createSecureContext({
    ca: pinned.toString(),
    // A pinned leaf needs no authority.
    allowPartialTrustChain: true,
  });
  return new Agent({ connect: { secureContext: context } });
}

/** The same for addresses that are not known beforehand. `HTTPS_PROXY` and `NO_PROXY` are obeyed. */
export function connectionsUnder(trust: Exclude<Trust, { by: 'fingerprint' }>): Dispatcher {
  const secured = { secureContext: contextOf(trust) };
  return new EnvHttpProxyAgent({ connect: secured, requestTls: secured });
}

function contextOf(trust: Exclude<Trust, { by: 'fingerprint' }>): SecureContext {
  if (trust.by === 'authority') return createSecureContext({ ca: trust.pem });
  // The system's too: a company's own authority is installed there.
  const known = [...getCACertificates('default'), ...getCACertificates('system')];
  if (trust.also !== undefined) known.push(trust.also);
  return createSecureContext({ ca: known });
}

// Reading the certificates of a server, over a connection that sends nothing and trusts nothing.

const timeoutMs = 10_000;

/**
 * The certificate with this fingerprint. Nothing is said about the others, nor whether the chain holds: that is for
 * the connection that trusts it to find out.
 *
 * @param sha256 - 64 small hexadecimal digits.
 * @throws {ForensicsError} `server_untrusted` when it is not shown, `server_unreachable`.
 */
async function findShown(url: URL, sha256: string): Promise<X509Certificate> {
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
