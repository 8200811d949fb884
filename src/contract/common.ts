/** Parts shared by several schemas. */

import { type Static, type TSchema, Type } from 'typebox';
import { maxNameLength } from './limits.ts';
import { type Language, languages } from './vocabulary.ts';

export type Wire<T extends TSchema> = Frozen<Static<T>>;
type Frozen<T> = T extends readonly (infer E)[]
  ? readonly Frozen<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

export function oneOf<const T extends readonly string[]>(values: T) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values] });
}

export function orNull<T extends Type.TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

export function described(description: string) {
  return Type.String({ description });
}

/** A number from 0 to 1. */
export function share(description?: string) {
  return Type.Number({ minimum: 0, maximum: 1, ...(description && { description }) });
}

export function object<T extends Type.TProperties>(description: string, members: T) {
  return Type.Object(members, { description });
}

export function list<T extends TSchema>(description: string, entry: T) {
  return Type.Array(entry, { description });
}

export function withoutUndefined<T extends object>(
  members: T,
): { [K in keyof T]?: Exclude<T[K], undefined> };
export function withoutUndefined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Whether a JSON text has at most this many values. Parsed, each takes up to twenty times the memory of its text. */
export function hasFewValues(json: Uint8Array, most: number): boolean {
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) at = endOfText(json, at);
    else if (byte === comma || byte === bracket || byte === brace) values++;
  }
  return values <= most;
}

/** Position of the quotation mark that ends the text starting here. */
export function endOfText(json: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
}

const [backslash, quote, comma, bracket, brace] = new TextEncoder().encode('\\",[{');

/** For text between the tags of HTML or XML, and within quotation marks. */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

export const statement = Type.Object(eachLanguage(Type.String()));

export function eachLanguage<T extends TSchema>(schema: T): Record<Language, T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is an entry for every language.
  return Object.fromEntries(languages.map((language) => [language, schema])) as Record<Language, T>;
}

/** Matches text that is more than spaces and characters that nobody sees. */
export const visible = String.raw`[^\s\p{C}]`;

/** Text by which people know something. */
export function visibleText(maxLength = maxNameLength, description = '') {
  const more = description === '' ? {} : { description };
  return Type.String({ minLength: 1, maxLength, pattern: visible, ...more });
}

/** A time in a query string; read with `toTime`. */
export function queriedTime(description: string) {
  const form = 'ISO 8601: a date or a date and time, in UTC unless it has an offset.';
  const examples = ['2026-03-01T00:00:00Z', '2026-03-01'];
  const time = { format: 'iso-time', description: `${description} ${form}`, examples };
  return Type.Optional(Type.String(time));
}

export const timeForm = 'an ISO 8601 date, or date and time, such as 2026-03-01T12:00:00Z';
// A plus sign that a client did not percent-encode in a query string arrives as a space.
const isoTime =
  /^(?<date>\d{4}-\d{2}-(?<day>\d{2}))(?:T(?<time>\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)(?<offset>Z|[+ -]\d{2}(?::?\d{2})?)?)?$/i;

/** In UTC unless it has an offset; a date is the start of that day. Any other text is an invalid date. */
export function toTime(text: string): Date {
  const { date = '', day, time = '00:00', offset = 'Z' } = isoTime.exec(text)?.groups ?? {};
  // Writes `+0100` and `+01` as `+01:00`, the only form JavaScript reads.
  const zone = offset
    .replace(' ', '+')
    .replace(/^([+-]\d{2}):?(\d{2})?$/, (_, hour, minute = '00') => `${hour}:${minute}`);
  const at = new Date(`${date}T${time.replace(',', '.')}${zone}`);
  // 30 February would be read as a day in March, and five-digit years would sort wrongly.
  const isReal = new Date(`${date}T00:00Z`).getUTCDate() === Number(day);
  return isReal && at.getUTCFullYear() >= 0 && at.getUTCFullYear() <= 9999 ? at : new Date(NaN);
}

export const dateTime = Type.String({ format: 'date-time' });
export const tenantName = Type.String({
  minLength: 1,
  maxLength: maxNameLength,
  description: 'The tenant that the caller acts for.',
});
/** Deliberately opaque: an id that is not one of ours is simply not found. */
export const objectId = Type.String({ minLength: 1, maxLength: 64 });
/** The query, or the body, of a request that needs nothing else. */
export const ofTenant = Type.Object({ tenantName });
export const ofOne = Type.Object({ tenantName, id: objectId });
export const succeeded = Type.Object({ success: Type.Literal(true) });
/** A successful response with content, which is read-only. */
export function responseWith<T extends TSchema>(data: T) {
  return Type.Object({ ...succeeded.properties, data: Type.Unsafe<Wire<T>>(data) });
}
/** A successful response that only contains a sentence. */
export const messageResponse = responseWith(Type.Object({ message: Type.String() }));

export const failed = Type.Object(
  { success: Type.Literal(false), message: Type.String() },
  {
    $id: 'Failure',
    description: 'The x-error-code header contains the stable code of the failure.',
  },
);
