/** From what a person said about a server to an `Api` that may be asked. */

import { Agent } from 'undici';
import { ForensicsError } from '../errors.ts';
import { type Api, createApi } from './api.ts';

export interface Access {
  readonly url: string;
  /** PEM of the only authorities to trust; null for those that the system knows. */
  readonly ca: string | null;
  readonly apiKey: string | null;
}

/** @throws {ForensicsError} `usage` for an address that is not one of HTTPS. */
export async function openApi({ url, ca, apiKey }: Access): Promise<Api> {
  return createApi({
    url: httpsAddress(url),
    dispatcher: new Agent({ connect: ca === null ? {} : { ca } }),
    authorize: async () => (apiKey === null ? null : `ApiKey ${apiKey}`),
  });
}

function httpsAddress(text: string): URL {
  const url = URL.parse(text);
  const isBare = url !== null && url.pathname === '/' && url.search === '' && url.username === '';
  if (isBare && url.protocol === 'https:') return url;
  throw new ForensicsError('usage', 'A server is named like https://forensics.example:8443.');
}
