/** All text in a file in which a program may record what it did, with the names of the fields. */

import { jsonOrNull } from '../contract/common.ts';
import type { DeclaredOrigin } from '../contract/vocabulary.ts';
import type { FileText } from '../image/file-texts.ts';

export interface ForeignTexts {
  readonly all: readonly FileText[];
  /** The text of these fields in file order, wherever the file stores it. */
  of(...fields: readonly string[]): readonly FileText[];
}

/** A structure that a generator left behind. */
export interface Recognised {
  readonly text: FileText;
  readonly origin: Exclude<DeclaredOrigin, 'captured'>;
  readonly generator: string | null;
}

export function findTexts(all: readonly FileText[]): ForeignTexts {
  const byField = Map.groupBy(all, ({ field }) => field);
  return { all, of: (...fields) => fields.flatMap((field) => byField.get(field) ?? []) };
}

// Makes untrusted values safe to handle: text becomes printable, and the shape of parsed JSON is not trusted.

const maxTextLength = 200;

/** One line of at most 200 characters, without control characters and those that hide text or turn its direction. */
export function printable(text: string): string {
  // Truncated before cleaning, because the text may have a million characters.
  const cleaned = text
    .slice(0, 4 * maxTextLength)
    .replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .trim();
  return Array.from(cleaned).slice(0, maxTextLength).join('').trim();
}

export type Members = Readonly<Record<string, unknown>>;

/** The members of a JSON object; empty for anything else. */
export function asMembers(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Non-empty text, made printable; null for anything else. */
export function textIn(value: unknown): string | null {
  return typeof value === 'string' ? printable(value) || null : null;
}

/** Null if it is not JSON, or nested too deeply: it is then treated as ordinary text. */
export function parseObject(text: string): Members | null {
  const value = /^\s*\{/.test(text) ? jsonOrNull(text) : null;
  return value === null ? null : asMembers(value);
}
