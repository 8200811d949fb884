/**
 * Every error of the embedded store's S3 API: the code that S3 clients know, the HTTP status, and one sentence for
 * people. The codes are S3's own, so that clients which were not written by us understand them.
 *
 * @see Amazon S3 API Reference, "List of error codes".
 */

interface Answer {
  readonly status: number;
  readonly message: string;
}

const answer = (status: number, message: string): Answer => ({ status, message });

export const supportedOperations =
  'This server supports PUT, GET, HEAD and DELETE of single objects, and CORS preflight.';

const answers = {
  // Who asks
  AccessDenied: answer(403, 'Access denied.'),
  AccessForbidden: answer(403, 'CORS does not allow this origin or method.'),
  AuthorizationHeaderMalformed: answer(400, 'The Authorization header is malformed.'),
  AuthorizationQueryParametersError: answer(400, 'The signature parameters of the URL are wrong.'),
  InvalidAccessKeyId: answer(403, 'There is no such access key.'),
  InvalidToken: answer(400, 'Session tokens are not supported; sign with the access key alone.'),
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
  NotImplemented: answer(501, supportedOperations),
  NoSuchKey: answer(404, 'There is no object with this key.'),
  InvalidRange: answer(416, 'The range lies outside the object.'),
  PreconditionFailed: answer(412, 'A condition of the request is not met.'),
  // The body
  BadDigest: answer(400, 'The MD5 that was sent does not match the body.'),
  EntityTooLarge: answer(413, 'The object is larger than this store accepts.'),
  IncompleteBody: answer(400, 'The length of the body is not the declared length.'),
  InvalidDigest: answer(400, 'Content-MD5 must be the Base64 of 16 bytes.'),
  MissingContentLength: answer(411, 'Send Content-Length, or Transfer-Encoding: chunked.'),
  RequestTimeout: answer(400, 'The body arrived too slowly; send it again.'),
  XAmzContentSHA256Mismatch: answer(
    400,
    'The header x-amz-content-sha256 does not match the body.',
  ),
  // Ourselves
  InternalError: answer(500, 'An internal error occurred in the store.'),
  InsufficientStorage: answer(507, 'The store has no space left; free some and try again.'),
  ServiceUnavailable: answer(503, 'The store is unavailable; try again later.'),
} as const satisfies Record<string, Answer>;

export type S3ErrorCode = keyof typeof answers;

/** `message` replaces the table's sentence where more is known; `extra` becomes further XML elements. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly code: S3ErrorCode;
  readonly extra: Readonly<Record<string, string>>;

  constructor(code: S3ErrorCode, message?: string, extra: Readonly<Record<string, string>> = {}) {
    super(message ?? answers[code].message);
    this.code = code;
    this.extra = extra;
  }

  get status(): number {
    return answers[this.code].status;
  }
}
