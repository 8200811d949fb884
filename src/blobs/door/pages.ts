/** Listings in pages, in S3's order: objects and uploads alike. */

import { Refusal } from '../refusal.ts';
import { encodePath } from '../signature/canonical.ts';
import type { Element } from './xml.ts';

export type Query = ReadonlyMap<string, string>;
export type Coding = (plain: string) => string;

const maxPage = 1000;

/** What is listed, under its key; several with one key are told apart, and put in order, by their ids. */
export interface Listed<T> {
  readonly key: string;
  readonly id: string;
  readonly item: T;
}

export interface Wanted {
  readonly prefix: string;
  readonly delimiter: string;
  /** Only what comes after this in the order of bytes. */
  readonly after: Pick<Listed<unknown>, 'key' | 'id'>;
  readonly limit: number;
}

/** One that is listed, or, where a delimiter is used, the common beginning of several keys. */
export interface Entry<T> {
  readonly name: string;
  readonly id: string;
  readonly item: T | null;
}

export interface Page<T> {
  readonly entries: readonly Entry<T>[];
  /** After which the next page begins; null when this is the last. */
  readonly next: Entry<T> | null;
}

export async function readPage<T>(
  source: AsyncIterable<Listed<T>>,
  wanted: Wanted,
): Promise<Page<T>> {
  const entries = new Map<string, Entry<T>>();
  for await (const listed of source) {
    const entry = entryOf(listed, wanted);
    if (entry !== null) entries.set(`${entry.id}/${entry.name}`, entry);
  }
  const sorted = [...entries.values()].toSorted(
    (a, b) => compareBytes(a.name, b.name) || compareBytes(a.id, b.id),
  );
  const page = sorted.slice(0, wanted.limit);
  // A page of no entries has no successor: S3 says the same of max-keys=0.
  const next = sorted.length > page.length ? (page.at(-1) ?? null) : null;
  return { entries: page, next };
}

function entryOf<T>(listed: Listed<T>, { prefix, delimiter, after }: Wanted): Entry<T> | null {
  const { key, id, item } = listed;
  if (!key.startsWith(prefix)) return null;
  const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
  const isAlone = at < 0;
  const name = isAlone ? key : key.slice(0, at + delimiter.length);
  const order = compareBytes(key, after.key) || compareBytes(id, after.id);
  // After a common beginning all that begins so has been told.
  const isTold = after.key !== '' && (order <= 0 || (!isAlone && name === after.key));
  if (isTold) return null;
  return isAlone ? { name, id, item } : { name, id: '', item: null };
}

/** How many entries a page may have. @throws {Refusal} `InvalidArgument` when it is no number. */
export function limitOf(query: Query, parameter: string): number {
  return Math.min(numberOf(query, parameter) ?? maxPage, maxPage);
}

/** Null when it was not sent. @throws {Refusal} `InvalidArgument` when it is no number. */
export function numberOf(query: Query, parameter: string): number | null {
  const text = query.get(parameter);
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Refusal('InvalidArgument', `${parameter} must be a number.`);
}

/** How names are written. @throws {Refusal} `InvalidArgument` for a coding that nobody knows. */
export function textCoding(query: Query): Coding {
  const encoding = query.get('encoding-type');
  if (encoding === undefined) return (plain) => plain;
  if (encoding === 'url') return encodePath;
  throw new Refusal('InvalidArgument', 'encoding-type can only be url.');
}

/** The parameter as it was sent, where it was. */
export function echoOf(query: Query, parameter: string, name: string, text?: Coding): Element[] {
  const value = query.get(parameter);
  return value === undefined || value === '' ? [] : [[name, text?.(value) ?? value]];
}

/** S3 sorts keys by their bytes; JavaScript's own order differs outside the basic plane. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
