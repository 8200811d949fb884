/** Connects to a server, and verifies that it is the one the user meant. */

import { createSecureContext, getCACertificates } from 'node:tls';
import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { ForensicsError } from '../../errors.ts';
import type { Pace } from '../../retry.ts';
import { type Api, createApi } from './api.ts';

interface Access {
  readonly url: string;
  /** As `connectionsUnder` takes it. */
  readonly ca: string | null;
  /** The Authorization header; if omitted, no credentials are sent. */
  readonly authorization?: string | null;
  readonly userAgent: string;
  /** If omitted, real time. */
  readonly pace?: Pace;
}

/** @throws {ForensicsError} `usage` for anything but an HTTPS address. */
export function openApi({ url, ca, authorization = null, userAgent, pace }: Access): Api {
  const dispatcher = connectionsUnder(ca);
  return createApi({ url: httpsAddress(url), dispatcher, authorization, userAgent, pace });
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

/**
 * Opens connections that also check the certificate's host name and dates. Respects `HTTPS_PROXY` and `NO_PROXY`.
 *
 * @param ca - PEM of the authorities that must have issued the certificate; null for those that Node.js or the system trusts.
 */
export function connectionsUnder(ca: string | null): Dispatcher {
  // Includes the system's certificates, because companies install their own authority there.
  const trusted = ca ?? [...getCACertificates('default'), ...getCACertificates('system')];
  const secured = { secureContext: createSecureContext({ ca: trusted }) };
  return new EnvHttpProxyAgent({ connect: secured, requestTls: secured });
}
