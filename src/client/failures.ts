/** What goes wrong on the way to a server, and what a server refuses, in the words of the error table. */

import type { IncomingHttpHeaders } from 'node:http';
import { type ErrorCode, failures, ForensicsError } from '../errors.ts';

/** @param body - the parsed answer, or null when it was not JSON. */
export function failureOf(
  status: number,
  headers: IncomingHttpHeaders,
  body: unknown,
): ForensicsError {
  const named = headers['x-error-code'];
  const code = typeof named === 'string' && isCode(named) ? named : codeOfStatus(status);
  const told: unknown = Object(body)['message'];
  const message = typeof told === 'string' ? told : `The server answered with status ${status}.`;
  const seconds = Number(headers['retry-after']);
  return new ForensicsError(
    code,
    message,
    Number.isFinite(seconds) && seconds > 0 ? { retryAfterSeconds: seconds } : {},
  );
}

/** From the network, or from TLS: who cannot be reached, and who is not who was meant. */
export function toConnectionFailure(error: unknown, url: URL): ForensicsError {
  if (error instanceof ForensicsError) return error;
  const code = systemCode(error);
  if (untrustedCodes.has(code) || code.startsWith('ERR_TLS') || code.startsWith('CERT_')) {
    return new ForensicsError(
      'server_untrusted',
      `The certificate of ${url.host} is not trusted (${code}); name its authority with --ca FILE, or its SHA-256 with --fingerprint.`,
      { cause: error },
    );
  }
  return new ForensicsError(
    'server_unreachable',
    `${url.host} cannot be reached (${code}); check the address, and that the server runs.`,
    { cause: error },
  );
}

// OpenSSL's words for chains that lead to nobody known (X509_V_ERR_*).
const untrustedCodes: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function systemCode(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at.name === 'TimeoutError') return 'timeout';
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return 'connection failed';
}

function isCode(word: string): word is ErrorCode {
  return Object.hasOwn(failures, word);
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return 'unauthenticated';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 409) return 'conflict';
  if (status === 429) return 'rate_limited';
  if (status === 502 || status === 503 || status === 504) return 'server_unreachable';
  return status < 500 ? 'invalid_request' : 'server_unexpected';
}
