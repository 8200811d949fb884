/**
 * What the refusals of S3 servers mean for us. The code in the XML says more than the status; answers to HEAD have none.
 *
 * @see Amazon S3 API Reference, "List of error codes"; the storage-full codes are those of MinIO and of our own door.
 */

import { type ErrorCode, ForensicsError } from '../../errors.ts';

export interface S3Refusal {
  readonly status: number;
  /** S3's word; empty when the answer has none. */
  readonly code: string;
  readonly failure: ForensicsError;
}

type Meaning = readonly [code: ErrorCode, message: string];

const wrongRegion: Meaning = [
  'store_refused',
  'The bucket lies in another region or at another endpoint; check endpoint and region.',
];
const full: Meaning = [
  'no_space_left',
  'The store has no space left; free some or raise its quota.',
];
const later: Meaning = ['store_unavailable', 'The store is busy; try again later.'];
const missing: Meaning = ['blob_not_found', 'There is no object with this key in the store.'];
const denied: Meaning = [
  'store_refused',
  'The store denies access; check the access key, and that it may put, get and delete objects and list the bucket.',
];

const meanings = new Map<string, Meaning>([
  ['NoSuchKey', missing],
  ['NoSuchBucket', ['store_refused', 'The bucket does not exist; check its name or create it.']],
  ['InvalidBucketName', ['store_refused', 'The store takes this for no name of a bucket.']],
  ['InvalidAccessKeyId', ['store_refused', 'The store does not know the access key; check it.']],
  [
    'SignatureDoesNotMatch',
    ['store_refused', 'The signature is refused; check the secret access key and the endpoint.'],
  ],
  [
    'RequestTimeTooSkewed',
    [
      'store_refused',
      'The clocks of this server and of the store differ by more than 15 minutes; set them.',
    ],
  ],
  ['NotImplemented', ['store_refused', 'The store does not offer this.']],
  ['AccessDenied', denied],
  ['AllAccessDisabled', denied],
  ['AuthorizationHeaderMalformed', wrongRegion],
  ['AuthorizationQueryParametersError', wrongRegion],
  ['IllegalLocationConstraintException', wrongRegion],
  ['PermanentRedirect', wrongRegion],
  ['TemporaryRedirect', wrongRegion],
  ['EntityTooLarge', ['blob_too_large', 'The object is larger than the store accepts.']],
  ['InsufficientStorage', full],
  ['QuotaExceeded', full],
  ['XMinioStorageFull', full],
  ['RequestTimeout', later],
  // The body changed on its way.
  ['BadDigest', later],
  ['IncompleteBody', later],
  ['XAmzContentSHA256Mismatch', later],
]);

/** @param body - Of the answer: S3's XML, or anything else that stands at the address. */
export function refusalOf(status: number, body: string): S3Refusal {
  const code = /<Code>(\w{1,64})<\/Code>/.exec(body)?.[1] ?? '';
  const [failure, message] = meanings.get(code) ?? meaningOf(status, code);
  return { status, code, failure: new ForensicsError(failure, message) };
}

function meaningOf(status: number, code: string): Meaning {
  if (status >= 300 && status < 400) return wrongRegion;
  if (status === 401 || status === 403) return denied;
  if (status === 404 && code === '') return missing;
  if (status === 507) return full;
  const said = code === '' ? `HTTP ${status}` : `${code}, HTTP ${status}`;
  if (status >= 500 && status !== 501) return ['store_unavailable', `The store failed (${said}).`];
  return ['store_refused', `The store refused the request (${said}); check its configuration.`];
}
