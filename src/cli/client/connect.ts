/** Connects to a server, and verifies that it is the one the user meant. */

import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { ForensicsError } from '../../errors.ts';
import type { Pace } from '../../retry.ts';
import { type Api, createApi, withRetry } from './api.ts';
import { toConnectionFailure } from './errors.ts';

interface Access {
  readonly url: string;
  readonly trust: Trust;
  /** The Authorization header; if omitted, no credentials are sent. */
  readonly authorization?: string | null;
  readonly userAgent: string;
  /** If omitted, real time. */
  readonly pace?: Pace;
}

/** @throws {ForensicsError} `usage` for anything but an HTTPS address; `server_untrusted`, `server_unreachable`. */
export async function openApi(access: Access): Promise<Api> {
  const { trust, authorization = null, userAgent, pace } = access;
  const url = httpsAddress(access.url);
  const dispatcher = await connectionsTo(url, trust);
  return createApi({ url, dispatcher, authorization, userAgent, pace });
}

/** @throws {ForensicsError} `usage`. */
export function httpsAddress(text: string): URL {
  const url = URL.parse(text);
  const isBare =
    url !== null &&
    [url.search, url.hash, url.username, url.password].every((part) => part === '') &&
    url.pathname === '/';
  if (isBare && url.protocol === 'https:') return url;
  const hint = url?.protocol === 'http:' ? '; plain HTTP is not supported' : '';
  throw new ForensicsError(
    'usage',
    `The address of a server looks like https://forensics.example:8443${hint}.`,
  );
}

/** How to verify the identity of a server. */
export type Trust =
  /** The certificate is issued by an authority that Node.js or the system trusts. */
  | { readonly by: 'system' }
  /** The certificate is issued by one of the authorities in `pem`, and by no other. */
  | { readonly by: 'authority'; readonly pem: string }
  /** A certificate in the chain, the server's own or an authority's, has this SHA-256 in lower-case hexadecimal. */
  | { readonly by: 'fingerprint'; readonly sha256: string };

const maxLooks = 3;

/**
 * Opens connections to the server at `url`. Each also checks the certificate's host name and dates.
 *
 * A fingerprint does not disable these checks: the certificate with that fingerprint is fetched over a connection that
 * sends nothing, and is then the only one trusted. That connection bypasses any proxy, so connections with a
 * fingerprint do too.
 */
async function connectionsTo(url: URL, trust: Trust): Promise<Dispatcher> {
  if (trust.by !== 'fingerprint') return connectionsUnder(trust);
  const pinned = await withRetry(() => findShown(url, trust.sha256), { tries: () => maxLooks });
  const context = createSecureContext({
    ca: pinned.toString(),
    // If the leaf certificate itself is pinned, no authority is needed.
    allowPartialTrustChain: true,
  });
  return new Agent({ connect: { secureContext: context } });
}

/** Works for any address. Respects `HTTPS_PROXY` and `NO_PROXY`. */
export function connectionsUnder(trust: Exclude<Trust, { by: 'fingerprint' }>): Dispatcher {
  const secured = { secureContext: trustedContext(trust) };
  return new EnvHttpProxyAgent({ connect: secured, requestTls: secured });
}

function trustedContext(trust: Exclude<Trust, { by: 'fingerprint' }>): SecureContext {
  if (trust.by === 'authority') return createSecureContext({ ca: trust.pem });
  // Includes the system's certificates, because companies install their own authority there.
  const known = [...getCACertificates('default'), ...getCACertificates('system')];
  return createSecureContext({ ca: known });
}

const timeoutMs = 10_000;

/**
 * Finds the certificate with this fingerprint. The connection that trusts it checks later whether the chain is valid.
 *
 * @param sha256 - 64 lower-case hexadecimal digits.
 */
async function findShown(url: URL, sha256: string): Promise<X509Certificate> {
  const shown = await shownChain(url).catch((error: unknown) => {
    throw toConnectionFailure(error, url);
  });
  const found = shown.find(
    ({ fingerprint256 }) => fingerprint256.replaceAll(':', '').toLowerCase() === sha256,
  );
  if (found !== undefined) return found;
  const seen = shown.map(
    ({ subject, fingerprint256 }) => `${subject.replaceAll('\n', ', ')} ${fingerprint256}`,
  );
  throw new ForensicsError(
    'server_untrusted',
    `${url.host} has no certificate with the SHA-256 given with --fingerprint; it presents ${seen.join('; ')}. Compare with "openssl x509 -noout -fingerprint -sha256 -in tls/ca.pem" in the server's data folder; if that differs too, another machine is answering in its place.`,
  );
}

/** A server's certificate chain, its own certificate first, read over a connection that sends and trusts nothing. */
async function shownChain({ hostname, port }: URL): Promise<readonly X509Certificate[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({
    host,
    port: port === '' ? 443 : Number(port),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    // Safe because nothing is sent over this connection.
    rejectUnauthorized: false,
  });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve).once('error', reject);
      socket.setTimeout(timeoutMs, () =>
        reject(new DOMException('The server is not responding.', 'TimeoutError')),
      );
    });
    return chainFrom(socket.getPeerX509Certificate());
  } finally {
    socket.destroy();
  }
}

function chainFrom(leaf: X509Certificate | undefined): readonly X509Certificate[] {
  const chain: X509Certificate[] = [];
  // A self-signed certificate is its own issuer.
  for (let at = leaf; at !== undefined; at = at.issuerCertificate) {
    const { fingerprint256 } = at;
    if (chain.some((before) => before.fingerprint256 === fingerprint256)) break;
    chain.push(at);
  }
  return chain;
}
