/** Converts failed connections, and refusals by a server or a store, into errors of the error table. */

import type { IncomingHttpHeaders } from 'node:http';
import { isKeyOf } from '../../contract/vocabulary.ts';
import { causeCode, type ErrorCode, failures, ForensicsError } from '../../contract/errors.ts';

/** @param how.lacksCredentials - true if none were sent; the server's message would then not help. */
export function toRefusal(
  answer: {
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly data: unknown;
  },
  { lacksCredentials }: { readonly lacksCredentials: boolean },
): ForensicsError {
  const { status, headers, data } = answer;
  const named = headers['x-error-code'];
  const code =
    typeof named === 'string' && isKeyOf(failures, named) ? named : codeForStatus(status);
  if (lacksCredentials && (status === 401 || status === 403)) {
    return new ForensicsError(
      code,
      'The server requires credentials: specify a file with an API key (--api-key-file), set FORENSICS_API_KEY, or save a key with "forensics login" and add --profile.',
    );
  }
  const stated: unknown = Object(data)['message'];
  const message = typeof stated === 'string' ? stated : `The server returned status ${status}.`;
  return new ForensicsError(code, message, retryAfter(headers));
}

function retryAfter(headers: IncomingHttpHeaders) {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? { retryAfterSeconds: seconds } : {};
}

/** Converts a network or TLS error: either the server cannot be reached, or it is not the one the user meant. */
export function toConnectionFailure(error: unknown, url: URL): ForensicsError {
  if (error instanceof ForensicsError) return error;
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  const code = isLate ? 'timeout' : causeCode(error) || 'connection failed';
  const distrust = distrustIn(code, error);
  if (distrust !== null) {
    const message = `The certificate of ${url.host} ${distrust}`;
    return new ForensicsError('server_untrusted', message, { cause: error });
  }
  const why = unreachable[code] ?? `cannot be reached (${code}); check the address and the network`;
  return new ForensicsError('server_unreachable', `${url.host} ${why}.`, { cause: error });
}

/** What is wrong with the certificate, as the end of a sentence; null for other errors. */
function distrustIn(code: string, error: unknown): string | null {
  const names = String(Object(Object(error)['cert'])['subjectaltname'] ?? 'of none');
  switch (code) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `is for other names: ${names.replaceAll(/\b(DNS|IP Address):/g, '')}. Use one of these in the address, or start the server with this name: serve --public-url.`;
    case 'CERT_HAS_EXPIRED':
      return "has expired. Renew it on the server; if it is still valid there, this machine's clock is wrong.";
    case 'CERT_NOT_YET_VALID':
      return "is not valid yet. One of the two clocks is wrong, most likely this machine's.";
    default:
      if (!unknownAuthority.has(code) && !code.startsWith('CERT_')) return null;
      return `was not issued by an authority that is trusted here (${code}). Specify its authority with --ca FILE: tls/ca.pem in the server's data folder.`;
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

const noTls = 'does not use HTTPS on that port; check the port, and any proxy in between';
const tooLate =
  'did not respond in time; check the address, the network and any firewall in between';
const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections; check the host and port, and that the server is running',
  ENOTFOUND: 'is an unknown host; check the address',
  EAI_AGAIN: 'could not be looked up; check the network',
  ECONNRESET: 'closed the connection; check that the server is running and uses HTTPS on that port',
  UND_ERR_SOCKET: 'closed the connection; check that the server is running',
  EHOSTUNREACH: 'is not reachable from here; check the network',
  ENETUNREACH: 'is not reachable from here; check the network',
  ETIMEDOUT: tooLate,
  UND_ERR_CONNECT_TIMEOUT: tooLate,
  timeout: tooLate,
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
};

function codeForStatus(status: number): ErrorCode {
  if (status === 401) return 'unauthenticated';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 409) return 'conflict';
  if (status === 429) return 'rate_limited';
  if (status === 502 || status === 503 || status === 504) return 'server_unreachable';
  return status < 500 ? 'invalid_request' : 'server_unexpected';
}

/**
 * @returns `url_expired`, `blob_not_found`, `blob_too_large`, `no_space_left`, `store_unavailable` or `store_refused`.
 */
export function toStoreFailure(
  status: number,
  headers: IncomingHttpHeaders,
  text: string,
): ForensicsError {
  // Our own server sends the code in a header, S3 and Azure in XML.
  const code = String(headers['x-error-code'] ?? elementText(text, 'Code') ?? `status ${status}`);
  // "Request has expired", "ExpiredToken"; Azure: "Signature not valid in the specified time frame".
  const isRefused = status === 400 || status === 401 || status === 403;
  if (isRefused && /expired|specified time frame/i.test(text)) {
    return new ForensicsError('url_expired', 'The URL of the file has expired; request a new one.');
  }
  if (code === 'RequestTimeTooSkewed') return clocksDiffer();
  if (status === 404) return new ForensicsError('blob_not_found', 'File not found in the store.');
  if (status === 413 || code === 'EntityTooLarge') {
    return new ForensicsError('blob_too_large', 'The file is too large for the store.');
  }
  if (status === 507) {
    const reason = elementText(text, 'Message') ?? /"message":"([^"]{1,200}?)\.?"/.exec(text)?.[1];
    const why = reason === undefined ? '' : `: ${reason}`;
    return new ForensicsError('no_space_left', `The store has no space left${why}.`);
  }
  if (status === 429 || status >= 500) {
    const message = `The store is not available (${code}); try again later.`;
    return new ForensicsError('store_unavailable', message, retryAfter(headers));
  }
  return new ForensicsError(
    'store_refused',
    `The store rejected the file (${code}); ask the server's operator to check its storage.`,
  );
}

/** If even a new URL has expired, the clock of the store must differ from ours. */
export function clocksDiffer(): ForensicsError {
  return new ForensicsError(
    'store_refused',
    'The store considers a new URL expired, so the clocks of server and store differ. Ask the operator to synchronise them.',
  );
}

/** Text of the first element with this name, if it is plain and short. */
function elementText(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<>]{1,200}?)\\.?</${name}>`).exec(xml)?.[1];
}
