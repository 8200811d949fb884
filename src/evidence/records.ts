/** `result.json`: the whole examination, with the contract's numbers and the evidence in words beside it. */

import canonicalize from 'canonicalize';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { resultClasses } from '../contract/vocabulary.ts';
import { toResultFields } from '../engine/contract.ts';
import type { Examination } from '../engine/result.ts';
import type { PictureFacts } from '../image/picture.ts';
import { writeEvidence } from '../report/evidence.ts';

const identity = Type.Object({ id: Type.String(), version: Type.String() });

/** Only what a reader of bundles asks for; the rest is compared as it is. */
const schema = Type.Object({
  verdict: Type.Union(resultClasses.map((word) => Type.Literal(word))),
  examination: Type.Object({
    facts: Type.Object({
      format: Type.String(),
      sizeBytes: Type.Integer(),
      sha256: Type.String(),
      sha512: Type.String(),
      md5: Type.String(),
      width: Type.Integer(),
      height: Type.Integer(),
      storedWidth: Type.Integer(),
      storedHeight: Type.Integer(),
    }),
    options: Type.Object({ decisionStrategy: Type.String(), seed: Type.Integer() }),
    passes: Type.Integer(),
    model: identity,
    locator: Type.Optional(Type.Union([identity, Type.Null()])),
    decision: Type.Object({ resultClass: Type.String() }),
    provenance: Type.Object({
      credentials: Type.Union([
        Type.Object({ trustListSha256: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
        Type.Null(),
      ]),
    }),
    environment: Type.Record(Type.String(), Type.String()),
  }),
});

export type ResultRecord = Static<typeof schema>;

const compiled = Compile(schema);

export function resultRecordOf(
  examination: Examination,
  { isMetadataLeftOut }: { readonly isMetadataLeftOut: boolean },
) {
  const { facts } = examination;
  return {
    verdict: examination.decision.resultClass,
    result: toResultFields(examination, 'forensicReporting'),
    evidence: writeEvidence(examination),
    examination: { ...examination, facts: isMetadataLeftOut ? withoutMetadata(facts) : facts },
  };
}

/** Null for what is not in the form that `resultRecordOf` gives. */
export function parseResult(bytes: Uint8Array): ResultRecord | null {
  const value = parseJson(bytes);
  return compiled.Check(value) ? value : null;
}

/** Whoever keeps the file back hardly means to hand on all that it says; the summary that every report prints stays. */
function withoutMetadata(facts: PictureFacts): PictureFacts {
  return { ...facts, metadata: { ...facts.metadata, exif: {}, xmp: {}, iptc: {}, pngText: {} } };
}

// JSON in one form only (RFC 8785), so that the same facts are the same bytes wherever they are written.

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
    return isWithin(value, maxLevels) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Far more than we write, and far fewer than what exhausts the stack of whoever walks through the value. */
const maxLevels = 64;

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isWithin(member, levels - 1));
}

function numbersOf(view: ArrayBufferView): ArrayLike<number> {
  if (view instanceof Uint16Array) return view;
  throw new TypeError('only 16-bit maps are written as lists of numbers');
}
