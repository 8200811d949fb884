/** How a server proves that it is the one that was meant. */

import { createSecureContext, getCACertificates } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { Agent, EnvHttpProxyAgent } from 'undici';
import type { Dispatcher } from 'undici';
import { withRetry } from './retry.ts';
import { findShown } from './shown-chain.ts';

export type Trust =
  /** By an authority that Node.js or the system knows, or by one of these, PEM. */
  | { readonly by: 'system'; readonly also?: string }
  /** By one of these alone, PEM. */
  | { readonly by: 'authority'; readonly pem: string }
  /** SHA-256 of a certificate that the server has to show, 64 small hexadecimal digits: its own, or that of an authority. */
  | { readonly by: 'fingerprint'; readonly sha256: string };

const triesToLook = 3;

/**
 * Connections to the server at `url`, or to nobody. Each checks the host name and the time too.
 *
 * A pin is not a check switched off: the certificate that has it is looked up on a connection that sends nothing, and
 * is then the only one that is trusted. That look goes past a proxy, so connections with a pin go past it too.
 *
 * @throws {ForensicsError} `server_untrusted` when no certificate of the server has the fingerprint, `server_unreachable`.
 */
export async function connectionsTo(url: URL, trust: Trust): Promise<Dispatcher> {
  if (trust.by !== 'fingerprint') return connectionsUnder(trust);
  const pinned = await withRetry(() => findShown(url, trust.sha256), { tries: () => triesToLook });
  const context = createSecureContext({
    ca: pinned.toString(),
    // Whoever pins a leaf need not know its authority.
    allowPartialTrustChain: true,
  });
  return new Agent({ connect: { secureContext: context } });
}

/** The same for addresses that are not known beforehand. `HTTPS_PROXY` and `NO_PROXY` are obeyed. */
export function connectionsUnder(trust: Exclude<Trust, { by: 'fingerprint' }>): Dispatcher {
  const connect = { secureContext: contextOf(trust) };
  return new EnvHttpProxyAgent({ connect, requestTls: connect });
}

function contextOf(trust: Exclude<Trust, { by: 'fingerprint' }>): SecureContext {
  if (trust.by === 'authority') return createSecureContext({ ca: trust.pem });
  // The system's too: a company's own authority is installed there.
  const known = [...getCACertificates('default'), ...getCACertificates('system')];
  if (trust.also !== undefined) known.push(trust.also);
  return createSecureContext({ ca: known });
}
