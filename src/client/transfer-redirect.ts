import type { Dispatcher } from 'undici';
import { ForensicsError } from '../errors.ts';

/** Those that let the method be: all for a GET, for a PUT the two that ask for the same again (RFC 9110, 15.4). */
const sendsOn = { GET: [301, 302, 303, 307, 308], PUT: [307, 308] } as const;

/**
 * Where a store sends us on to; null when it does not.
 *
 * @throws {ForensicsError} `store_refused` for an address without encryption, unless there was none before.
 */
export function redirectOf(
  { statusCode, headers }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>,
  { method, from }: { readonly method: 'GET' | 'PUT'; readonly from: URL },
): URL | null {
  const isRedirect = sendsOn[method].some((status) => status === statusCode);
  const { location } = headers;
  if (!isRedirect || typeof location !== 'string') return null;
  const next = URL.parse(location, from.href);
  const isAllowed =
    next?.protocol === 'https:' || (next?.protocol === 'http:' && from.protocol === 'http:');
  if (next !== null && isAllowed) return next;
  throw new ForensicsError(
    'store_refused',
    'The store sends us on to an address without encryption; nothing was sent there. Ask the operator of the server to check the address of the store.',
  );
}
