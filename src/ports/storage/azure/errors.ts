/**
 * What refusals of Azure's blob service mean.
 *
 * @see Azure REST reference, "Blob service error codes" and "Common REST API error codes".
 */

import type { ForensicsError } from '../../../errors.ts';
import { connectionFailure, type Meaning, type Refusal, toStoreError } from '../remote/errors.ts';
import { azureLibrary } from './client.ts';

const denied: Meaning = [
  'store_refused',
  'The store denies access. Check the firewall of the storage account and the permissions of its key.',
];

const meanings = new Map<string, Meaning>([
  ['404', ['blob_not_found', 'The store has no object with this key.']],
  ['ContainerNotFound', ['blob_not_found', 'The container does not exist.']],
  [
    'AuthenticationFailed',
    [
      'store_refused',
      'The store refuses the signature. Check the AccountKey and the clock of this server.',
    ],
  ],
  ['AccountIsDisabled', ['store_refused', 'The storage account is disabled.']],
  ['InvalidResourceName', ['store_refused', 'The store does not accept this container name.']],
  ['RequestBodyTooLarge', ['blob_too_large', 'The object is larger than the store accepts.']],
  ['401', denied],
  ['403', denied],
  // The body was changed in transit.
  ['Md5Mismatch', ['store_unavailable', 'The object was damaged in transit. Try again.']],
  [
    'ContainerBeingDeleted',
    ['store_unavailable', 'The container is being deleted. Try again later.'],
  ],
  ['ServerBusy', ['store_unavailable', 'The store is busy. Try again later.']],
]);

/** Translates anything that the client library throws. */
export function azureFailure(error: unknown): ForensicsError {
  const refusal = readRefusal(error);
  return refusal === null ? connectionFailure(error) : toStoreError(refusal, meanings);
}

/** Whether the client library failed because the container does not exist. */
export function isMissingContainer(error: unknown): boolean {
  return readRefusal(error)?.code === 'ContainerNotFound';
}

/** Null when the error is not an answer of the store. */
function readRefusal(error: unknown): Refusal | null {
  if (!azureLibrary().isRestError(error) || error.statusCode === undefined) return null;
  const code = error.response?.headers.get('x-ms-error-code') ?? '';
  return { status: error.statusCode, code: /^\w{1,64}$/.test(code) ? code : '' };
}
