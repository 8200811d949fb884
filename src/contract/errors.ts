/**
 * Every failure in one table: its stable code, its HTTP status, the exit code of the command line, and whether trying
 * again can help. Messages are for people: they say what to do, and contain no server paths, SQL or secrets.
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

const entry = (status: number, exit: ExitCode, retry = false) => ({ status, exit, retry }) as const;

export const failures = {
  // Pictures
  image_empty: entry(422, exitCodes.failure),
  image_not_supported: entry(422, exitCodes.failure),
  image_unreadable: entry(422, exitCodes.failure),
  image_too_small: entry(422, exitCodes.failure),
  image_too_large: entry(422, exitCodes.failure),
  image_too_many_bytes: entry(413, exitCodes.failure),
  image_not_as_declared: entry(422, exitCodes.failure),
  trial_image_mismatch: entry(422, exitCodes.failure),
  // Files on the command line
  file_not_found: entry(404, exitCodes.notFound),
  file_not_readable: entry(403, exitCodes.notAllowed),
  file_is_directory: entry(400, exitCodes.usage),
  output_not_writable: entry(500, exitCodes.failure),
  no_space_left: entry(507, exitCodes.tryAgainLater, true),
  // Models and inference
  model_not_found: entry(400, exitCodes.notFound),
  model_integrity: entry(500, exitCodes.integrityFailure),
  runtime_missing: entry(500, exitCodes.failure),
  inference_busy: entry(503, exitCodes.tryAgainLater, true),
  inference_timeout: entry(500, exitCodes.failure, true),
  inference_crashed: entry(500, exitCodes.failure, true),
  inference_out_of_memory: entry(500, exitCodes.failure, true),
  // Requests
  invalid_request: entry(400, exitCodes.usage),
  usage: entry(400, exitCodes.usage),
  unauthenticated: entry(401, exitCodes.notAllowed),
  forbidden: entry(403, exitCodes.notAllowed),
  not_found: entry(404, exitCodes.notFound),
  method_not_allowed: entry(405, exitCodes.usage),
  conflict: entry(409, exitCodes.conflict),
  rate_limited: entry(429, exitCodes.tryAgainLater, true),
  not_offered: entry(400, exitCodes.usage),
  body_too_large: entry(413, exitCodes.failure),
  unsupported_media_type: entry(415, exitCodes.usage),
  // Analyses
  analysis_not_found: entry(404, exitCodes.notFound),
  analysis_not_pending: entry(409, exitCodes.conflict),
  analysis_not_retryable: entry(409, exitCodes.conflict),
  upload_missing: entry(409, exitCodes.conflict),
  tier_downgrade: entry(400, exitCodes.usage),
  /** When a result is fetched: the analysis ended without one, or does not have one yet. */
  analysis_failed: entry(422, exitCodes.failure),
  analysis_not_ready: entry(409, exitCodes.tryAgainLater, true),
  tenant_not_found: entry(404, exitCodes.notFound),
  lease_lost: entry(409, exitCodes.conflict),
  evidence_damaged: entry(500, exitCodes.integrityFailure),
  // Evidence
  bundle_unreadable: entry(422, exitCodes.failure),
  bundle_changed: entry(422, exitCodes.integrityFailure),
  audit_broken: entry(500, exitCodes.integrityFailure),
  validation_not_found: entry(404, exitCodes.notFound),
  // Stores and set-up
  blob_not_found: entry(404, exitCodes.notFound),
  blob_too_large: entry(413, exitCodes.failure),
  blob_damaged: entry(500, exitCodes.integrityFailure),
  store_unavailable: entry(503, exitCodes.tryAgainLater, true),
  /** The store responded but refused: wrong credentials, no such bucket, no write permission. */
  store_refused: entry(400, exitCodes.notAllowed),
  /** A presigned URL has expired: request a new one. */
  url_expired: entry(403, exitCodes.tryAgainLater, true),
  identity_unavailable: entry(503, exitCodes.tryAgainLater, true),
  // Servers, seen from the command line
  server_unreachable: entry(503, exitCodes.tryAgainLater, true),
  /** TLS: this is not the intended server, or it cannot prove that it is. */
  server_untrusted: entry(502, exitCodes.notAllowed),
  server_unexpected: entry(502, exitCodes.failure),
  // Backups
  backup_unreadable: entry(422, exitCodes.failure),
  backup_damaged: entry(422, exitCodes.integrityFailure),
  unhealthy: entry(503, exitCodes.tryAgainLater, true),
  config_invalid: entry(500, exitCodes.usage),
  database_damaged: entry(500, exitCodes.integrityFailure),
  schema_newer: entry(500, exitCodes.conflict),
  address_in_use: entry(500, exitCodes.conflict),
  cancelled: entry(499, exitCodes.failure, true),
  internal: entry(500, exitCodes.failure),
};

export type ErrorCode = keyof typeof failures;

/** What exactly failed, for messages in other languages; see `sentences`. */
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

export const auditBroken = failWith('audit_broken');
export const configInvalid = failWith('config_invalid');
export const conflict = failWith('conflict');
export const evidenceDamaged = failWith('evidence_damaged');
export const forbidden = failWith('forbidden');
export const imageNotAsDeclared = failWith('image_not_as_declared');
export const invalidRequest = failWith('invalid_request');
export const modelNotFound = failWith('model_not_found');
export const notFound = failWith('not_found');
export const notOffered = failWith('not_offered');
export const rateLimited = failWith('rate_limited');
export const serverUnexpected = failWith('server_unexpected');
export const storeUnavailable = failWith('store_unavailable');
export const usageError = failWith('usage');

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
  return failure('internal', {}, { cause: error });
}

// Why a picture was not examined, or a result not written: a code with values for each reason, and the English message,
// which programs also read. The `present` module has the other languages.

/** Names in a file, an address or the system, exactly as found there; a format is a name from `formatNames`, or `PDF`. */
type Texts<Name extends string> = Readonly<Record<Name, string>>;
type Numbers<Name extends string> = Readonly<Record<Name, number>>;

const sentences = {
  empty: () => 'The file is empty (0 bytes).',
  too_many_bytes: ({ megabytes, limit }: Numbers<'megabytes' | 'limit'>) =>
    `The file is ${megabytes} MB in size; at most ${limit} MB can be examined.`,
  /** For a stream that was not read to its end. */
  more_bytes_than: ({ megabytes }: Numbers<'megabytes'>) =>
    `The file is larger than ${megabytes} MB, the most that can be examined.`,
  side_too_short: sideOutOfRange,
  side_too_long: sideOutOfRange,
  too_many_pixels: ({ width, height, megapixels }: Numbers<'width' | 'height' | 'megapixels'>) =>
    `The picture is ${width} x ${height} pixels; at most ${megapixels} megapixels can be examined. Reduce a copy to that size and examine it, but keep the original.`,
  not_decodable: () =>
    'The picture is incomplete or damaged and could not be decoded. Copy or download it again.',
  cut_off: ({ format }: Texts<'format'>) =>
    `The ${format} file is incomplete: it ends before the picture does. Copy or download it again.`,
  /** `what` is a phrase that follows "it", a detail for experts. */
  damaged: ({ format, what }: Texts<'format' | 'what'>) =>
    `The ${format} file is damaged: it ${what}. Copy or download it again.`,
  rare_jpeg: () =>
    'This is a rare kind of JPEG file (lossless, hierarchical or not 8 bits per sample); save it as an ordinary JPEG or PNG.',
  /** A variant that no decoder here supports. */
  rare_kind: ({ format }: Texts<'format'>) =>
    `This is a rare kind of ${format} file that cannot be decoded; save it as PNG with the program that wrote it.`,
  /** `percent` of the rows, from the top, are intact. */
  rows_missing: ({ format, percent }: Texts<'format'> & Numbers<'percent'>) =>
    `The ${format} file is cut off or damaged: only the first ${percent}% of its rows are intact, but 90% are needed. Copy or download it again.`,
  raw_without_jpeg: () =>
    'This camera raw file contains no JPEG that can be examined; develop it and examine the JPEG or TIFF.',
  /** A picture in a format that is not accepted here. */
  format_not_taken: ({ format }: Texts<'format'>) =>
    `This is ${/^(?:AVIF|R)/.test(format) ? 'an' : 'a'} ${format} picture; this server accepts only JPEG and PNG. Do not convert the file: examine it with forensics analyze, or ask the operator to set intake to everything.`,
  video: () =>
    'This is a video; only pictures are examined. Export frames from the original as PNG, in full size, and examine those.',
  /** `name`: the English name; `isPicture`: whether it could be converted. */
  other_format: (file: Texts<'kind' | 'name'> & { readonly isPicture: boolean }) => {
    const advice =
      file.kind === 'zip' ? 'Extract the pictures and examine those.' : 'Choose a picture.';
    const forPictures = 'Export it as PNG, or better: examine the file it was made from.';
    return `This is ${file.name}, which cannot be examined. ${file.isPicture ? forPictures : advice}`;
  },
  url_not_usable: () =>
    'This address cannot be fetched: it must begin with http:// or https:// and must not contain a password. Download the picture and examine the file.',
  url_unreachable: ({ host, code }: Texts<'host' | 'code'>) =>
    `${host} could not be reached (${code}). Download the picture on a machine that can reach it, and examine the file.`,
  url_no_address: ({ host }: Texts<'host'>) =>
    `${host} has no address, or one inside a network that the fetchAllow setting does not allow. Check the address, or download the picture and examine the file.`,
  url_private: ({ host }: Texts<'host'>) =>
    `${host} is an address inside a network, which is fetched only if the fetchAllow setting allows it. Change the setting, or download the picture and examine the file.`,
  url_redirects: ({ host }: Texts<'host'>) =>
    `${host} redirects endlessly; download the picture in a browser and examine the file.`,
  url_status: ({ host, status }: Texts<'host'> & Numbers<'status'>) =>
    `${host} returned status ${status} instead of a picture; check the address, or download the picture in a browser and examine the file.`,
  pdf_locked: () =>
    'This PDF needs a password; open it in a viewer, save a copy without one, and examine that.',
  pdf_without_pages: () => 'This PDF has no pages; choose another file.',
  folder_without_recursive: () =>
    'This is a folder; add --recursive to examine the pictures in it.',
  folder: () => 'This is a folder; specify a picture inside it.',
  no_picture_in_folder: () => 'There is no picture in this folder.',
  device: () => 'This is a device or pipe; save the picture to a file.',
  no_such_file: () => 'There is no such file.',
  name_too_long: () => 'There is no such file: its name is too long.',
  not_allowed: () => 'This file is not readable; change its permissions.',
  link_loop: () => 'This file cannot be read: it is a symbolic link in a loop.',
  /** `code` from the operating system, such as `EIO`. */
  not_readable: ({ code }: Texts<'code'>) =>
    `This file cannot be read (${code}); check the disk that it is on.`,
  holds_result: ({ folder }: Texts<'folder'>) =>
    `${folder} already contains a result; add --force to replace it, or choose another --out.`,
  holds_no_result: ({ folder }: Texts<'folder'>) =>
    `${folder} exists but contains no result; choose another --out.`,
  disk_full: () => 'There is no space left to write the results; free some.',
  /** `declared` and `found`: both kinds of files, or both sizes; missing in rows of earlier versions. */
  not_as_declared: ({ what }: Texts<'what'> & Partial<Texts<'declared' | 'found'>>) =>
    `The uploaded picture is not what was declared: ${what}.`,
  trial_only: () =>
    'A trial tenant can analyse only the two trial pictures, real.jpg and fake.jpg; this is neither.',
  copy_damaged: () =>
    'The stored copy of the picture is missing or has been changed; create a new analysis and upload the picture again.',
  store_away: () => 'The store was unavailable for 24 hours; retry the analysis once it is back.',
  timeout: ({ seconds }: Numbers<'seconds'>) =>
    `The analysis needed more than ${seconds} s of CPU time and was stopped; use a smaller picture.`,
  stuck: ({ seconds }: Numbers<'seconds'>) =>
    `The analysis made no progress for ${seconds} s and was stopped; try again. If it stops again, check the machine's disk and memory.`,
  out_of_memory: () =>
    'The analysis needed more memory than its process may use; use a smaller picture.',
  crashed: () =>
    'The analysis process ended unexpectedly; the program is still running, so try again.',
  internal: () => 'An internal error occurred.',
};
type FailureReasonCode = keyof typeof sentences;

export type FailureValues = {
  readonly [Code in FailureReasonCode]: Parameters<(typeof sentences)[Code]> extends [infer Values]
    ? Values
    : Readonly<Record<string, never>>;
};

export type FailureSentences = {
  readonly [Code in FailureReasonCode]: (values: FailureValues[Code]) => string;
};

function sideOutOfRange(found: Numbers<'width' | 'height' | 'least' | 'most'>) {
  const { width, height, least, most } = found;
  return `The picture is ${width} x ${height} pixels; each side must be ${least} to ${most} pixels long.`;
}

const errorCodes: Readonly<Record<FailureReasonCode, ErrorCode>> = {
  empty: 'image_empty',
  too_many_bytes: 'image_too_many_bytes',
  more_bytes_than: 'image_too_many_bytes',
  side_too_short: 'image_too_small',
  side_too_long: 'image_too_large',
  too_many_pixels: 'image_too_large',
  not_decodable: 'image_unreadable',
  cut_off: 'image_unreadable',
  damaged: 'image_unreadable',
  rare_jpeg: 'image_not_supported',
  rare_kind: 'image_not_supported',
  rows_missing: 'image_unreadable',
  raw_without_jpeg: 'image_not_supported',
  format_not_taken: 'image_not_supported',
  video: 'image_not_supported',
  other_format: 'image_not_supported',
  url_not_usable: 'usage',
  url_unreachable: 'file_not_readable',
  url_no_address: 'file_not_readable',
  url_private: 'file_not_readable',
  url_redirects: 'file_not_readable',
  url_status: 'file_not_found',
  pdf_locked: 'image_not_supported',
  pdf_without_pages: 'image_not_supported',
  folder_without_recursive: 'file_is_directory',
  folder: 'file_is_directory',
  no_picture_in_folder: 'file_not_found',
  device: 'file_not_readable',
  no_such_file: 'file_not_found',
  name_too_long: 'file_not_found',
  not_allowed: 'file_not_readable',
  link_loop: 'file_not_readable',
  not_readable: 'file_not_readable',
  holds_result: 'conflict',
  holds_no_result: 'conflict',
  disk_full: 'no_space_left',
  not_as_declared: 'image_not_as_declared',
  trial_only: 'trial_image_mismatch',
  copy_damaged: 'evidence_damaged',
  store_away: 'store_unavailable',
  timeout: 'inference_timeout',
  stuck: 'inference_timeout',
  out_of_memory: 'inference_out_of_memory',
  crashed: 'inference_crashed',
  internal: 'internal',
};

export function failure<Code extends FailureReasonCode>(
  code: Code,
  values: FailureValues[Code],
  options: ErrorOptions = {},
): ForensicsError {
  const reason = { code, values };
  const english: FailureSentences = sentences;
  return new ForensicsError(errorCodes[code], english[code](values), { ...options, reason });
}
