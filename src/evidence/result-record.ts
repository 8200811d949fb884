/** `result.json`: the whole examination, with the contract's numbers and the evidence in words beside it. */

import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { toResultFields } from '../engine/contract.ts';
import { type Examination } from '../engine/result.ts';
import type { PictureFacts } from '../image/picture.ts';
import { writeEvidence } from '../report/evidence.ts';
import { parseJson } from './canonical-json.ts';
import { resultClasses } from '../contract/vocabulary.ts';

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
