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

/**
 * The origin that a digital source type declares. Null where the type names neither a camera nor a trained model: drawings,
 * screenshots, pictures computed by a formula (`algorithmicMedia`), composites whose parts may be anything.
 *
 * @see IPTC NewsCodes, scheme digitalsourcetype (cv.iptc.org/newscodes/digitalsourcetype), retired terms included; C2PA
 * Technical Specification 2.3, on actions, for the type of its own.
 */
const origins: Readonly<Record<string, DeclaredOrigin | null>> = {
  trainedalgorithmicmedia: 'ai-generated',
  trainedalgorithmicdata: 'ai-generated',
  compositewithtrainedalgorithmicmedia: 'ai-manipulated',
  digitalcapture: 'captured',
  computationalcapture: 'captured',
  negativefilm: 'captured',
  positivefilm: 'captured',
  print: 'captured',
  algorithmicmedia: null,
  algorithmicallyenhanced: null,
  composite: null,
  compositecapture: null,
  compositesynthetic: null,
  datadrivenmedia: null,
  digitalart: null,
  digitalcreation: null,
  humanedits: null,
  minorhumanedits: null,
  screencapture: null,
  softwareimage: null,
  virtualrecording: null,
};

/** The term at the end of an address of one of the two schemes, of `digsrctype:...`, or alone. */
const written =
  /^(?:https?:\/\/(?:cv\.iptc\.org\/newscodes|c2pa\.org)\/digitalsourcetype\/|digsrctype:|c2pa\.)?([A-Za-z]+)\/?$/;

/** What the type declares; null for one that declares neither, and for a text that is no type. */
export function originOfSourceType(type: string | null): DeclaredOrigin | null {
  const term = written.exec(type?.trim() ?? '')?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(origins, term) ? (origins[term] ?? null) : null;
}
