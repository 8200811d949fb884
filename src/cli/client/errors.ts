/** What goes wrong on the way to a server, and what a server refuses, in the words of the error table. */

import type { IncomingHttpHeaders } from 'node:http';
import { type ErrorCode, failures, ForensicsError } from '../../errors.ts';

interface Refusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The parsed answer, or null when it was not JSON. */
  readonly data: unknown;
}

/** @param isNobody - whether no credentials were found: then the server's message about headers does not help. */
export function failureOf({ status, headers, data }: Refusal, isNobody: boolean): ForensicsError {
  const named = headers['x-error-code'];
  const code = typeof named === 'string' && isCode(named) ? named : codeOfStatus(status);
  if (isNobody && (status === 401 || status === 403)) return new ForensicsError(code, whoAsks);
  const told: unknown = Object(data)['message'];
  const message = typeof told === 'string' ? told : `The server answered with status ${status}.`;
  const seconds = Number(headers['retry-after']);
  return new ForensicsError(
    code,
    message,
    Number.isFinite(seconds) && seconds > 0 ? { retryAfterSeconds: seconds } : {},
  );
}

const whoAsks =
  'The server does not know who asks: name a file that holds an API key with --api-key-file, set FORENSICS_API_KEY, or log in with "forensics login" and add --profile.';

/** From the network, or from TLS: who cannot be reached, and who is not who was meant. */
export function toConnectionFailure(error: unknown, url: URL): ForensicsError {
  if (error instanceof ForensicsError) return error;
  const code = systemCode(error);
  const distrust = distrustIn(code, error);
  if (distrust !== null) {
    return new ForensicsError('server_untrusted', `The certificate of ${url.host} ${distrust}`, {
      cause: error,
    });
  }
  const why = unreachable[code] ?? `cannot be reached (${code}); check the address and the network`;
  return new ForensicsError('server_unreachable', `${url.host} ${why}.`, { cause: error });
}

/** What is wrong with the certificate, as the end of a sentence; null when it is something else. */
function distrustIn(code: string, error: unknown): string | null {
  switch (code) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `is for another name: ${namesIn(error)}. Use one of these in the address, or start the server with this name: serve --public-url.`;
    case 'CERT_HAS_EXPIRED':
      return 'has expired. Renew it on the server; if it is good there, the clock of this machine is wrong.';
    case 'CERT_NOT_YET_VALID':
      return 'is not valid yet. One of the two clocks is wrong, most likely that of this machine.';
    default:
      if (!unknownAuthority.has(code) && !code.startsWith('CERT_')) return null;
      return `leads to no authority that is trusted here (${code}). Name its authority with --ca FILE, or the SHA-256 that the server tells at its first start with --fingerprint.`;
  }
}

// OpenSSL's codes for chains that end at an unknown authority (X509_V_ERR_*).
const unknownAuthority: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
]);

const noTls =
  'does not speak HTTPS there; check the port, or ask the operator what stands before the server';
const tooLate =
  'does not answer in time; check the address, the network and any firewall in between';
const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections; check host and port, and that the server runs',
  ENOTFOUND: 'is a host that nobody knows; check the address',
  EAI_AGAIN: 'cannot be looked up; check the network',
  ECONNRESET: 'broke the connection off; check that the server runs and that HTTPS is spoken there',
  UND_ERR_SOCKET: 'broke the connection off; check that the server runs',
  EHOSTUNREACH: 'lies where no way leads; check the network',
  ENETUNREACH: 'lies where no way leads; check the network',
  ETIMEDOUT: tooLate,
  UND_ERR_CONNECT_TIMEOUT: tooLate,
  timeout: tooLate,
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
};

/** The names that the certificate does have. */
function namesIn(error: unknown): string {
  const named: unknown = Object(Object(error)['cert'])['subjectaltname'];
  return typeof named === 'string' ? named.replaceAll(/\b(DNS|IP Address):/g, '') : 'of none';
}

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

/**
 * Maps a refusal of a store to a code of the error table; S3 and Azure use the same two XML elements.
 *
 * @param text - the beginning of the body.
 * @returns `url_expired`, `blob_not_found`, `blob_too_large`, `no_space_left`, `store_unavailable` or `store_refused`.
 */
export function storeFailureOf(
  status: number,
  headers: IncomingHttpHeaders,
  text: string,
): ForensicsError {
  // Our own server says it in a header, S3 and Azure in XML.
  const code = String(headers['x-error-code'] ?? elementOf(text, 'Code') ?? `status ${status}`);
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
  const told =
    elementOf(text, 'Message') ?? /"message":"([^"]{1,200}?)\.?"/.exec(text)?.[1] ?? null;
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
