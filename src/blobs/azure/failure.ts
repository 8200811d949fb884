/**
 * What the refusals of Azure's blob service mean for us.
 *
 * @see Azure REST reference, "Blob service error codes" and "Common REST API error codes".
 */

import { type ErrorCode, ForensicsError } from '../../errors.ts';
import { unreachable } from '../remote/unreachable.ts';
import { azureLibrary } from './library.ts';

type Meaning = readonly [code: ErrorCode, message: string];

const denied: Meaning = [
  'store_refused',
  'The store denies access; check the firewall of the storage account and what its key may do.',
];

const meanings = new Map<string, Meaning>([
  ['BlobNotFound', ['blob_not_found', 'There is no object with this key in the store.']],
  ['ContainerNotFound', ['blob_not_found', 'The container does not exist.']],
  [
    'AuthenticationFailed',
    [
      'store_refused',
      'The signature is refused; check the AccountKey, and that the clock of this server is right.',
    ],
  ],
  ['AccountIsDisabled', ['store_refused', 'The storage account is disabled.']],
  ['InvalidResourceName', ['store_refused', 'The store takes this for no name of a container.']],
  ['RequestBodyTooLarge', ['blob_too_large', 'The object is larger than the store accepts.']],
  // The body changed on its way.
  ['Md5Mismatch', ['store_unavailable', 'The object was damaged on its way; try again.']],
  ['ContainerBeingDeleted', ['store_unavailable', 'The container is being deleted; try later.']],
  ['ServerBusy', ['store_unavailable', 'The store is busy; try again later.']],
]);

/** Anything that the client library raises, as ours. Nothing of the request goes on: it was signed. */
export function azureFailure(error: unknown): ForensicsError {
  const refusal = refusalOf(error);
  if (refusal === null) return unreachable(error);
  const { status, code } = refusal;
  const [failure, message] = meanings.get(code) ?? meaningOf(status, code);
  return new ForensicsError(failure, message);
}

/** Of what the client library raised: the container can be made. */
export function isMissingContainer(error: unknown): boolean {
  return refusalOf(error)?.code === 'ContainerNotFound';
}

/** Null when the store said nothing. */
function refusalOf(error: unknown): { readonly status: number; readonly code: string } | null {
  if (!azureLibrary().isRestError(error) || error.statusCode === undefined) return null;
  const code = error.response?.headers.get('x-ms-error-code') ?? '';
  return { status: error.statusCode, code };
}

function meaningOf(status: number, code: string): Meaning {
  if (status === 404) return ['blob_not_found', 'There is no object with this key in the store.'];
  if (status === 401 || status === 403) return denied;
  const said = /^\w{1,64}$/.test(code) ? `${code}, HTTP ${status}` : `HTTP ${status}`;
  if (status >= 500 || status === 429) return ['store_unavailable', `The store failed (${said}).`];
  return ['store_refused', `The store refused the request (${said}); check its configuration.`];
}
