/** Every text of a file in which a program may record what it did, with its field. */

import type { DeclaredOrigin } from '../contract/vocabulary.ts';
import type { FileText } from '../image/file-texts.ts';

export interface ForeignTexts {
  readonly all: readonly FileText[];
  /** The texts of these fields, in the order of the file, whatever place they stand in. */
  of(...fields: readonly string[]): readonly FileText[];
}

/** A structure that a generator left behind. */
export interface Recognised {
  /** Where it stands. */
  readonly text: FileText;
  readonly origin: Exclude<DeclaredOrigin, 'captured'>;
  readonly generator: string | null;
}

export function findTexts(all: readonly FileText[]): ForeignTexts {
  const byField = Map.groupBy(all, ({ field }) => field);
  return { all, of: (...fields) => fields.flatMap((field) => byField.get(field) ?? []) };
}

// Makes foreign values safe to handle: texts become printable, and JSON is parsed without trusting its shape.

const maxTextLength = 200;

/** On one line, without control characters and without those that hide text or turn its direction; at most 200 characters. */
export function printable(text: string): string {
  // Cut before it is cleaned: a text may have a million characters.
  const cleaned = text
    .slice(0, 4 * maxTextLength)
    .replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .trim();
  return Array.from(cleaned).slice(0, maxTextLength).join('').trim();
}

export type Members = Readonly<Record<string, unknown>>;

/** The members of a JSON object; none for anything else. */
export function asMembers(value: unknown): Members {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that is not empty, made printable; null for anything else. */
export function textIn(value: unknown): string | null {
  return typeof value === 'string' ? printable(value) || null : null;
}

/** The members of the JSON object that `text` is; null when it is none. */
export function parseObject(text: string): Members | null {
  if (!/^\s*\{/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return asMembers(value);
  } catch {
    // Not JSON, or nested too deep: a text like any other.
    return null;
  }
}
