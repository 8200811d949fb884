/** The conditional headers of reading and writing, and ranges. @see RFC 9110, sections 13 and 14. */

import type { IncomingMessage } from 'node:http';
import type { ObjectToWrite } from '../embedded/object-files.ts';
import type { ObjectRecord } from '../embedded/record.ts';
import { S3Error } from './errors.ts';
import { oneHeader } from './request.ts';

export interface Validators {
  /** With its quotes. */
  readonly etag: string;
  readonly modifiedAt: Date;
}

export interface Range {
  readonly start: number;
  readonly length: number;
}

/** @throws {S3Error} `PreconditionFailed`. @returns true when the client has this object already. */
export function isNotModified(request: IncomingMessage, { etag, modifiedAt }: Validators): boolean {
  const match = oneHeader(request, 'if-match');
  const noneMatch = oneHeader(request, 'if-none-match');
  // Dates of HTTP have whole seconds.
  const seconds = Math.floor(modifiedAt.getTime() / 1000);
  const unmodifiedSince = secondsOf(request, 'if-unmodified-since');
  const modifiedSince = secondsOf(request, 'if-modified-since');
  const isFailed =
    match === null
      ? unmodifiedSince !== null && seconds > unmodifiedSince
      : !names(match, etag, false);
  if (isFailed) throw new S3Error('PreconditionFailed');
  if (noneMatch !== null) return names(noneMatch, etag, true);
  return modifiedSince !== null && seconds <= modifiedSince;
}

/**
 * The one range that is requested; null when the whole object is to be sent: no range, several, or one that is no
 * range of bytes at all.
 *
 * @throws {S3Error} `InvalidRange` when no byte of the object lies in it.
 */
export function readRange(
  request: IncomingMessage,
  sizeBytes: number,
  validators: Validators,
): Range | null {
  const text = oneHeader(request, 'range');
  if (text === null || !isFresh(request, validators)) return null;
  const parts = /^bytes=(\d*)-(\d*)$/.exec(text.replaceAll(' ', ''));
  if (parts === null || (parts[1] === '' && parts[2] === '')) return null;
  const first = parts[1] === '' ? null : Number(parts[1]);
  const last = parts[2] === '' ? null : Number(parts[2]);
  if (first !== null && last !== null && last < first) return null;
  const start = first ?? Math.max(0, sizeBytes - last!);
  const end = first === null || last === null ? sizeBytes : Math.min(last + 1, sizeBytes);
  if (start >= end) throw new S3Error('InvalidRange');
  return { start, length: end - start };
}

/**
 * `If-None-Match: *` and `If-Match` of what writes an object. Two writers at once cannot both be the one that was meant.
 *
 * @throws {S3Error} `NotImplemented`, as S3 does, for any other `If-None-Match`.
 */
export function writeConditions(
  request: IncomingMessage,
): Pick<ObjectToWrite, 'ifAbsent' | 'mayReplace'> {
  const noneMatch = oneHeader(request, 'if-none-match');
  if (noneMatch === null) return { mayReplace: matchCondition(request) };
  if (noneMatch !== '*' || oneHeader(request, 'if-match') !== null) {
    throw new S3Error('NotImplemented', 'Write with If-None-Match: *, or with If-Match.');
  }
  return { ifAbsent: true, mayReplace: rejectAny };
}

function rejectAny(current: ObjectRecord | null): void {
  if (current !== null) throw new S3Error('PreconditionFailed');
}

function matchCondition(request: IncomingMessage): ObjectToWrite['mayReplace'] {
  const match = oneHeader(request, 'if-match');
  if (match === null) return undefined;
  return (current) => {
    if (current === null) throw new S3Error('NoSuchKey');
    if (!names(match, `"${current.etag}"`, false)) throw new S3Error('PreconditionFailed');
  };
}

/** `If-Match` of what deletes an object: one that is gone already is as good as deleted. */
export function deleteCondition(
  request: IncomingMessage,
): ((current: ObjectRecord | null) => void) | undefined {
  const mayReplace = matchCondition(request);
  return mayReplace && ((current) => (current === null ? undefined : mayReplace(current)));
}

/** `If-Range` sends the whole object when it is another one than the client began with. */
function isFresh(request: IncomingMessage, { etag, modifiedAt }: Validators): boolean {
  const text = oneHeader(request, 'if-range');
  if (text === null) return true;
  return text.includes('"') ? text === etag : Date.parse(text) === wholeSeconds(modifiedAt);
}

function wholeSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000) * 1000;
}

/** Null when absent or no date: such a header counts as not sent. */
function secondsOf(request: IncomingMessage, name: string): number | null {
  const ms = Date.parse(oneHeader(request, name) ?? '');
  return Number.isNaN(ms) ? null : Math.floor(ms / 1000);
}

function names(list: string, etag: string, isWeak: boolean): boolean {
  return list.split(',').some((part) => {
    const tag = part.trim();
    // S3 clients also send the tag without its quotes.
    const bare = isWeak ? tag.replace(/^W\//, '') : tag;
    return bare === '*' || bare === etag || `"${bare}"` === etag;
  });
}
