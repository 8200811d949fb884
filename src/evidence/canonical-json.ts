/** JSON in one form only (RFC 8785), so that the same facts are the same bytes wherever they are written. */

import canonicalize from 'canonicalize';

/**
 * A value as JSON can carry it: what JSON leaves out is left out, and half a surrogate pair, which file names and
 * metadata may hold and UTF-8 cannot, becomes U+FFFD.
 */
export function toPlain(value: unknown): unknown {
  const text = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'string') return Buffer.from(member, 'utf8').toString('utf8');
    return ArrayBuffer.isView(member) ? Array.from(numbersOf(member)) : member;
  });
  return JSON.parse(text) as unknown;
}

/** UTF-8, without a line end. @throws {TypeError} for what is no JSON at all, such as undefined. */
export function canonicalBytes(value: unknown): Buffer {
  const text = canonicalize(toPlain(value));
  if (text === undefined) throw new TypeError('the value has no JSON form');
  return Buffer.from(text, 'utf8');
}

/** The value of a JSON text; undefined, which no JSON text means, for anything else and for one that is built to do harm. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return isWithin(value, mostLevels) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Far more than we write, and far fewer than what exhausts the stack of whoever walks through the value. */
const mostLevels = 64;

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isWithin(member, levels - 1));
}

function numbersOf(view: ArrayBufferView): ArrayLike<number> {
  if (view instanceof Uint16Array) return view;
  throw new TypeError('only 16-bit maps are written as lists of numbers');
}
