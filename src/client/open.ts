/** From what a person said about a server to an `Api` that may be asked. */

import { ForensicsError } from '../errors.ts';
import type { Pace } from '../retry.ts';
import { type Api, type Authorize, createApi } from './api.ts';
import { connectionsTo, type Trust } from './trust.ts';

export interface Access {
  readonly url: string;
  readonly trust: Trust;
  /** Left out where one asks as nobody. */
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
