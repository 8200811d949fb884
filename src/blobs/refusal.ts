/**
 * Every way in which the embedded store's HTTP door says no: the code that S3 clients know, what HTTP answers, and one
 * sentence for people. The codes are S3's own, so that clients which were not written by us understand them.
 *
 * @see Amazon S3 API Reference, "List of error codes".
 */

interface Answer {
  readonly status: number;
  readonly message: string;
}

const answer = (status: number, message: string): Answer => ({ status, message });

export const refusals = {
  // Who asks
  AccessDenied: answer(403, 'Access denied.'),
  AccessForbidden: answer(403, 'This origin, method or header is not allowed by the bucket.'),
  AuthorizationHeaderMalformed: answer(400, 'The Authorization header is malformed.'),
  AuthorizationQueryParametersError: answer(400, 'The signature parameters of the URL are wrong.'),
  InvalidAccessKeyId: answer(403, 'There is no such access key.'),
  InvalidToken: answer(400, 'Session tokens are not in use here; sign with the access key alone.'),
  RequestTimeTooSkewed: answer(
    403,
    'The time of the request is more than 15 minutes off; set the clock of the client.',
  ),
  SignatureDoesNotMatch: answer(
    403,
    'The signature does not match the request; check the secret key, the method, the host and the path.',
  ),
  // What is asked
  InvalidArgument: answer(400, 'An argument of the request is invalid.'),
  InvalidRequest: answer(400, 'The request is invalid.'),
  InvalidURI: answer(400, 'The path is not valid percent-encoded UTF-8.'),
  KeyTooLongError: answer(400, 'A key has at most 1024 bytes.'),
  MethodNotAllowed: answer(405, 'This method is not allowed here.'),
  MetadataTooLarge: answer(400, 'The metadata of an object has at most 2048 bytes.'),
  NotImplemented: answer(501, 'This store does not offer that.'),
  NoSuchCORSConfiguration: answer(404, 'No origins are allowed here.'),
  NoSuchKey: answer(404, 'There is no object with this key.'),
  NoSuchUpload: answer(404, 'There is no such upload; it may have been completed or aborted.'),
  InvalidPart: answer(400, 'A part is missing, or its ETag is not the one that was named.'),
  InvalidPartOrder: answer(400, 'The parts must be named in ascending order.'),
  EntityTooSmall: answer(400, 'Every part but the last has at least 5242880 bytes.'),
  InvalidRange: answer(416, 'The range lies outside the object.'),
  PreconditionFailed: answer(412, 'A condition of the request is not met.'),
  BucketAlreadyOwnedByYou: answer(409, 'The bucket exists and is yours.'),
  // The body
  BadDigest: answer(400, 'The digest or checksum that was sent does not match the body.'),
  EntityTooLarge: answer(413, 'The object is larger than this store accepts.'),
  IncompleteBody: answer(400, 'The body has another length than was declared.'),
  InvalidDigest: answer(
    400,
    'The digest or checksum that was sent is not valid Base64 of its size.',
  ),
  MalformedXML: answer(400, 'The XML of the body is malformed, or not what this operation takes.'),
  MalformedTrailerError: answer(400, 'The chunks or trailers of the body are malformed.'),
  MissingContentLength: answer(411, 'Send Content-Length, or Transfer-Encoding: chunked.'),
  RequestTimeout: answer(400, 'The body came too slowly; send it again.'),
  XAmzContentSHA256Mismatch: answer(
    400,
    'The header x-amz-content-sha256 does not match the body.',
  ),
  // Ourselves
  InternalError: answer(500, 'Something went wrong inside the store.'),
  InsufficientStorage: answer(507, 'The store has no space left; free some and try again.'),
  ServiceUnavailable: answer(503, 'The store is unavailable; try again later.'),
} as const satisfies Record<string, Answer>;

export type RefusalCode = keyof typeof refusals;

/** `message` replaces the table's sentence where more can be said; `extra` becomes further XML elements. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly extra: Readonly<Record<string, string>>;

  constructor(code: RefusalCode, message?: string, extra: Readonly<Record<string, string>> = {}) {
    super(message ?? refusals[code].message);
    this.code = code;
    this.extra = extra;
  }

  get status(): number {
    return refusals[this.code].status;
  }
}
