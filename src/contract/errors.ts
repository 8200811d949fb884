/**
 * Every failure of the product in one table: its stable code, its HTTP status, the exit code of the
 * command line, and whether trying again can help. Messages are for people: they say what to do,
 * and contain no server paths, SQL or secrets.
 */

export const exitCodes = {
  done: 0,
  failure: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  conflict: 5,
  tryAgainLater: 6,
  integrityFailure: 7,
  // Only on request: `analyze --fail-on`, `keys list --expiring-within`.
  foundExpiring: 10,
  foundFake: 10,
  foundUncertain: 11,
  foundAbstain: 12,
  foundUnexamined: 13,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

interface Failure {
  readonly status: number;
  readonly exit: ExitCode;
  readonly retry: boolean;
}

const failure = (status: number, exit: ExitCode, retry = false): Failure => ({
  status,
  exit,
  retry,
});

export const failures = {
  // Pictures
  image_empty: failure(422, exitCodes.failure),
  image_not_supported: failure(422, exitCodes.failure),
  image_unreadable: failure(422, exitCodes.failure),
  image_too_small: failure(422, exitCodes.failure),
  image_too_large: failure(422, exitCodes.failure),
  image_too_many_bytes: failure(413, exitCodes.failure),
  image_not_as_declared: failure(422, exitCodes.failure),
  trial_image_mismatch: failure(422, exitCodes.failure),
  // Files on the command line
  file_not_found: failure(404, exitCodes.notFound),
  file_not_readable: failure(403, exitCodes.notAllowed),
  file_is_directory: failure(400, exitCodes.usage),
  output_not_writable: failure(500, exitCodes.failure),
  no_space_left: failure(507, exitCodes.tryAgainLater, true),
  // Models and inference
  model_not_found: failure(400, exitCodes.notFound),
  model_integrity: failure(500, exitCodes.integrityFailure),
  runtime_missing: failure(500, exitCodes.failure),
  inference_busy: failure(503, exitCodes.tryAgainLater, true),
  inference_timeout: failure(500, exitCodes.failure, true),
  inference_crashed: failure(500, exitCodes.failure, true),
  inference_out_of_memory: failure(500, exitCodes.failure, true),
  // Requests
  invalid_request: failure(400, exitCodes.usage),
  usage: failure(400, exitCodes.usage),
  unauthenticated: failure(401, exitCodes.notAllowed),
  forbidden: failure(403, exitCodes.notAllowed),
  not_found: failure(404, exitCodes.notFound),
  method_not_allowed: failure(405, exitCodes.usage),
  conflict: failure(409, exitCodes.conflict),
  rate_limited: failure(429, exitCodes.tryAgainLater, true),
  not_offered: failure(400, exitCodes.usage),
  body_too_large: failure(413, exitCodes.failure),
  unsupported_media_type: failure(415, exitCodes.usage),
  // Analyses
  analysis_not_found: failure(404, exitCodes.notFound),
  analysis_not_pending: failure(409, exitCodes.conflict),
  analysis_not_retryable: failure(409, exitCodes.conflict),
  upload_missing: failure(409, exitCodes.conflict),
  tier_downgrade: failure(400, exitCodes.usage),
  /** When a result is fetched: the analysis ended without one, or does not have one yet. */
  analysis_failed: failure(422, exitCodes.failure),
  analysis_not_ready: failure(409, exitCodes.tryAgainLater, true),
  tenant_not_found: failure(404, exitCodes.notFound),
  lease_lost: failure(409, exitCodes.conflict),
  evidence_damaged: failure(500, exitCodes.integrityFailure),
  // Evidence
  bundle_unreadable: failure(422, exitCodes.failure),
  bundle_changed: failure(422, exitCodes.integrityFailure),
  audit_broken: failure(500, exitCodes.integrityFailure),
  validation_not_found: failure(404, exitCodes.notFound),
  // Stores and set-up
  blob_not_found: failure(404, exitCodes.notFound),
  blob_too_large: failure(413, exitCodes.failure),
  blob_damaged: failure(500, exitCodes.integrityFailure),
  store_unavailable: failure(503, exitCodes.tryAgainLater, true),
  /** The store responded but refused: wrong credentials, no such bucket, no write permission. */
  store_refused: failure(400, exitCodes.notAllowed),
  /** A presigned URL has expired: request a new one. */
  url_expired: failure(403, exitCodes.tryAgainLater, true),
  identity_unavailable: failure(503, exitCodes.tryAgainLater, true),
  // Servers, seen from the command line
  server_unreachable: failure(503, exitCodes.tryAgainLater, true),
  /** TLS: this is not the intended server, or it cannot prove that it is. */
  server_untrusted: failure(502, exitCodes.notAllowed),
  server_unexpected: failure(502, exitCodes.failure),
  // Backups
  backup_unreadable: failure(422, exitCodes.failure),
  backup_damaged: failure(422, exitCodes.integrityFailure),
  unhealthy: failure(503, exitCodes.tryAgainLater, true),
  config_invalid: failure(500, exitCodes.usage),
  database_damaged: failure(500, exitCodes.integrityFailure),
  schema_newer: failure(500, exitCodes.conflict),
  address_in_use: failure(500, exitCodes.conflict),
  cancelled: failure(499, exitCodes.failure, true),
  internal: failure(500, exitCodes.failure),
} as const satisfies Record<string, Failure>;

export type ErrorCode = keyof typeof failures;

/** What exactly failed, for messages in other languages, as in `contract/failure-reasons.ts`. */
export interface FailureReason {
  readonly code: string;
  readonly values: object;
}

interface FailureOptions extends ErrorOptions {
  readonly reason?: FailureReason | null;
  /** After how many seconds trying again may help, if known. */
  readonly retryAfterSeconds?: number;
}

export class ForensicsError extends Error {
  override readonly name = 'ForensicsError';
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | null;
  readonly reason: FailureReason | null;

  constructor(code: ErrorCode, message: string, options: FailureOptions = {}) {
    super(message, options);
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.reason = options.reason ?? null;
  }

  get status(): number {
    return failures[this.code].status;
  }

  get exitCode(): ExitCode {
    return failures[this.code].exit;
  }

  /** True if the same request may succeed later, without any change by the caller. */
  get canRetry(): boolean {
    return failures[this.code].retry;
  }
}

const failWith = (code: ErrorCode) => (message: string, options?: FailureOptions) =>
  new ForensicsError(code, message, options);

export const conflict = failWith('conflict');
export const forbidden = failWith('forbidden');
export const invalidRequest = failWith('invalid_request');
export const configInvalid = failWith('config_invalid');
export const evidenceDamaged = failWith('evidence_damaged');
export const notFound = failWith('not_found');
export const notOffered = failWith('not_offered');
export const rateLimited = failWith('rate_limited');
export const serverUnexpected = failWith('server_unexpected');
export const storeUnavailable = failWith('store_unavailable');
export const usageError = failWith('usage');

/** Whether the error is one of our own, with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is ForensicsError {
  return error instanceof ForensicsError && codes.includes(error.code);
}

/** The result of `act`; null if it fails with one of these codes. */
export async function nullOn<T>(
  codes: readonly ErrorCode[],
  act: () => T | Promise<T>,
): Promise<T | null> {
  try {
    return await act();
  } catch (error) {
    if (hasCode(error, ...codes)) return null;
    throw error;
  }
}

/** The first `code`, of the error itself or its causes, that starts with `begin`; empty if there is none. */
export function causeCode(error: unknown, begin = ''): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && at.code.startsWith(begin)) return at.code;
  }
  return '';
}

/** Any other error becomes `internal`, with the original as its cause; our own errors pass unchanged. */
export function toForensicsError(error: unknown): ForensicsError {
  if (error instanceof ForensicsError) return error;
  return new ForensicsError('internal', 'An internal error occurred.', {
    cause: error,
    reason: { code: 'internal', values: {} },
  });
}
