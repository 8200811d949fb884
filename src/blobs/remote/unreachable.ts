/** What goes wrong between us and a store before it says a word, in sentences that tell what to check. */

import { ForensicsError } from '../../errors.ts';

const untrusted =
  'The certificate of the store is not trusted by this server; set NODE_EXTRA_CA_CERTS to its authority.';
const otherProtocol =
  'The store does not speak the protocol expected; check the scheme (useSSL) and the port.';
const forbidden =
  'The store has an address that this server must not call; its administrator can allow it (storageAllow: private, or an address range).';

const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name of the store is unknown; check the endpoint.',
  EAI_AGAIN: 'The host name of the store could not be looked up; check the endpoint and the DNS.',
  ECONNREFUSED: 'Nothing answers at the address of the store; check the endpoint and the port.',
  EHOSTUNREACH: 'There is no route to the store; check the endpoint and the network.',
  ENETUNREACH: 'There is no route to the store; check the endpoint and the network.',
};

const certificateCodes = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * `store_refused` where only another configuration helps: a forbidden address, a certificate that is not trusted, TLS
 * spoken to a port without it. `store_unavailable` for everything else.
 */
export function unreachable(error: unknown): ForensicsError {
  if (error instanceof ForensicsError) return error;
  const code = codeOf(error);
  const cause = safeCause(error, code);
  const refusal = refusalOf(code);
  if (refusal !== null) return new ForensicsError('store_refused', refusal, { cause });
  const message = isTimeout(error)
    ? 'The store does not answer in time; try again later.'
    : (sentences[code] ?? 'The connection to the store broke; try again later.');
  return new ForensicsError('store_unavailable', message, { cause });
}

function refusalOf(code: string): string | null {
  if (code === 'address_refused') return forbidden;
  if (certificateCodes.has(code)) return untrusted;
  const isProtocol = code === 'EPROTO' || code.startsWith('ERR_SSL_') || code.startsWith('HPE_');
  return isProtocol ? otherProtocol : null;
}

export function isTimeout(error: unknown): boolean {
  return codeOf(error) === 'ETIMEDOUT';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Libraries hang the whole request on their errors, its signature included: only name and code go on. */
function safeCause(error: unknown, code: string): Error {
  const name = error instanceof Error ? error.name : 'Error';
  return Object.assign(new Error(`${name} ${code}`.trim()), { code });
}
