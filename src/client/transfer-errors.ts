/** What a store refuses, in the words of the error table. S3 and Azure tell it in the same two elements of XML. */

import type { IncomingHttpHeaders } from 'node:http';
import { ForensicsError } from '../errors.ts';

/**
 * @param text - the beginning of the body.
 * @returns `url_expired`, `blob_not_found`, `blob_too_large`, `no_space_left`, `store_unavailable` or `store_refused`.
 */
export function storeFailureOf(
  status: number,
  headers: IncomingHttpHeaders,
  text: string,
): ForensicsError {
  const code = elementOf(text, 'Code') ?? `status ${status}`;
  if (isExpiry(status, text)) {
    return new ForensicsError(
      'url_expired',
      'The address of the file has expired; ask for a new one.',
    );
  }
  if (code === 'RequestTimeTooSkewed') return clocksDiffer();
  if (status === 404) return new ForensicsError('blob_not_found', 'The store has no such file.');
  if (status === 413 || code === 'EntityTooLarge') {
    return new ForensicsError('blob_too_large', 'The store takes no file of this size.');
  }
  if (status === 507) return noSpace(text);
  if (status === 429 || status >= 500) return away(code, headers);
  return new ForensicsError(
    'store_refused',
    `The store refuses the file (${code}); ask the operator of the server to check its storage.`,
  );
}

/** Addresses that were just made are expired already, for a store whose clock runs differently. */
export function clocksDiffer(): ForensicsError {
  return new ForensicsError(
    'store_refused',
    'The store says that an address which was just made has expired: the clocks of server and store differ. Ask the operator to set them.',
  );
}

function isExpiry(status: number, text: string): boolean {
  if (status !== 400 && status !== 401 && status !== 403) return false;
  // "Request has expired", "ExpiredToken"; Azure: "Signature not valid in the specified time frame".
  return /expired|specified time frame/i.test(text);
}

function noSpace(text: string): ForensicsError {
  const told = elementOf(text, 'Message');
  return new ForensicsError(
    'no_space_left',
    `The store has no room left${told === null ? '' : `: ${told}`}.`,
  );
}

function away(code: string, headers: IncomingHttpHeaders): ForensicsError {
  const seconds = Number(headers['retry-after']);
  return new ForensicsError(
    'store_unavailable',
    `The store cannot take or give files now (${code}); try again later.`,
    Number.isFinite(seconds) && seconds > 0 ? { retryAfterSeconds: seconds } : {},
  );
}

/** Text of the first such element, when it is plain and short. */
function elementOf(xml: string, name: string): string | null {
  return new RegExp(`<${name}>([^<>]{1,200}?)\\.?</${name}>`).exec(xml)?.[1] ?? null;
}
