/** Conditions and ranges of requests for an object. @see RFC 9110, sections 13 and 14. */

import type { IncomingHttpHeaders } from 'node:http';
import { type ErrorCode, ForensicsError } from '../../errors.ts';
import type { ObjectRecord } from '../../ports/storage/embedded/object-file.ts';

/** A refusal for which HTTP has a status of its own. */
export class HttpRefusal extends ForensicsError {
  readonly #status: number;

  constructor(status: number, code: ErrorCode, message: string) {
    super(code, message);
    this.#status = status;
  }

  override get status(): number {
    return this.#status;
  }
}

export function preconditionFailed(): HttpRefusal {
  return new HttpRefusal(412, 'conflict', 'A condition in the headers of the request is not met.');
}

/** @throws {HttpRefusal} 412. @returns true when the client has this object already. */
export function isNotModified(headers: IncomingHttpHeaders, record: ObjectRecord): boolean {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  const modified = wholeSeconds(record);
  const unmodifiedSince = Date.parse(headers['if-unmodified-since'] ?? '');
  const isUnmet =
    match === undefined ? modified > unmodifiedSince : !lists(match, record, { weak: false });
  if (isUnmet) throw preconditionFailed();
  if (noneMatch !== undefined) return lists(noneMatch, record, { weak: true });
  return modified <= Date.parse(headers['if-modified-since'] ?? '');
}

type WriteCondition = (current: ObjectRecord | null) => void;

/**
 * `If-Match`, or `If-None-Match: *`, of a request that writes. To be checked again when the object is replaced: of two
 * writers at once only one may succeed.
 *
 * @returns null when there is no condition; a function that throws {HttpRefusal} 412, or {ForensicsError} `blob_not_found`.
 * @throws {ForensicsError} `invalid_request` for any other `If-None-Match`.
 */
export function writeCondition(headers: IncomingHttpHeaders): WriteCondition | null {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (noneMatch !== undefined) {
    if (noneMatch !== '*' || match !== undefined) {
      const message = 'Write with If-None-Match: *, or with If-Match.';
      throw new ForensicsError('invalid_request', message);
    }
    return (current) => {
      if (current !== null) throw preconditionFailed();
    };
  }
  if (match === undefined) return null;
  return (current) => {
    if (current === null) throw missingObject();
    if (!lists(match, current, { weak: false })) throw preconditionFailed();
  };
}

export function missingObject(): ForensicsError {
  return new ForensicsError('blob_not_found', 'There is no object with this key.');
}

interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/**
 * @returns null when the whole object is to be sent: no range, several, one that is malformed, or an `If-Range` that names
 *   another object. Its length is 0 when no byte of the object lies in the range.
 */
export function requestedRange(
  headers: IncomingHttpHeaders,
  record: ObjectRecord,
): ByteRange | null {
  const { range = '' } = headers;
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range.replaceAll(' ', '')) ?? [];
  const isRange = from === '' ? to !== '' : to === '' || Number(from) <= Number(to);
  if (!isRange || !isSameObject(headers['if-range'], record)) return null;
  const { sizeBytes } = record;
  const start = from === '' ? Math.max(0, sizeBytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? sizeBytes : Math.min(Number(to) + 1, sizeBytes);
  return { start, length: Math.max(0, end - start) };
}

function isSameObject(ifRange: string | string[] | undefined, record: ObjectRecord): boolean {
  if (typeof ifRange !== 'string') return true;
  if (ifRange.includes('"')) return ifRange === `"${record.etag}"`;
  return Date.parse(ifRange) === wholeSeconds(record);
}

/** Dates of HTTP have whole seconds. */
function wholeSeconds({ createdAt }: ObjectRecord): number {
  return Math.floor(createdAt.getTime() / 1000) * 1000;
}

/** Whether a list of entity tags names this object; tags without quotes are accepted, as S3 clients send them. */
function lists(tags: string, { etag }: ObjectRecord, { weak }: { weak: boolean }): boolean {
  return tags
    .split(',')
    .map((part) => (weak ? part.trim().replace(/^W\//, '') : part.trim()))
    .some((tag) => tag === '*' || tag === `"${etag}"` || tag === etag);
}
