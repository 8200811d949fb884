/**
 * What the refusals of Azure's blob service mean for us.
 *
 * @see Azure REST reference, "Blob service error codes" and "Common REST API error codes".
 */

import type { ForensicsError } from '../../../errors.ts';
import { connectionFailure, type Meaning, type Refusal, toStoreError } from '../remote/errors.ts';
import { azureLibrary } from './client.ts';

const denied: Meaning = [
  'store_refused',
  'The store denies access; check the firewall of the storage account and what its key may do.',
];

const meanings = new Map<string, Meaning>([
  ['404', ['blob_not_found', 'There is no object with this key in the store.']],
  ['ContainerNotFound', ['blob_not_found', 'The container does not exist.']],
  [
    'AuthenticationFailed',
    [
      'store_refused',
      'The signature is refused; check the AccountKey, and that the clock of this server is right.',
    ],
  ],
  ['AccountIsDisabled', ['store_refused', 'The storage account is disabled.']],
  ['InvalidResourceName', ['store_refused', 'The store does not accept this container name.']],
  ['RequestBodyTooLarge', ['blob_too_large', 'The object is larger than the store accepts.']],
  ['401', denied],
  ['403', denied],
  // The body changed on its way.
  ['Md5Mismatch', ['store_unavailable', 'The object was damaged on its way; try again.']],
  ['ContainerBeingDeleted', ['store_unavailable', 'The container is being deleted; try later.']],
  ['ServerBusy', ['store_unavailable', 'The store is busy; try again later.']],
]);

/** Anything that the client library raises, as ours. */
export function azureFailure(error: unknown): ForensicsError {
  const refusal = readRefusal(error);
  return refusal === null ? connectionFailure(error) : toStoreError(refusal, meanings);
}

/** Of what the client library raised: the container can be made. */
export function isMissingContainer(error: unknown): boolean {
  return readRefusal(error)?.code === 'ContainerNotFound';
}

/** Null when the store sent none. */
function readRefusal(error: unknown): Refusal | null {
  if (!azureLibrary().isRestError(error) || error.statusCode === undefined) return null;
  const code = error.response?.headers.get('x-ms-error-code') ?? '';
  return { status: error.statusCode, code: /^\w{1,64}$/.test(code) ? code : '' };
}
