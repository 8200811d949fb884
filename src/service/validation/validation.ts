/**
 * A validation: how often a model was wrong on a user's own labelled pictures, stored as a record that reports cite. It
 * contains counts and digests, never pictures or file names; the only path in it is the name of the worst subfolder.
 * Knows nothing about data folders or terminals.
 */

import { type Static, type TSchema, Type } from 'typebox';
import { Check } from 'typebox/value';
import { jsonOrNull, orNull } from '../../contract/common.ts';
import { heldOutRatios } from '../../contract/manifest-fields.ts';
import { resultClasses } from '../../contract/vocabulary.ts';
import { evidenceDamaged } from '../../contract/errors.ts';
import { conditions } from '../../examiner/requests.ts';

const count = Type.Integer({ minimum: 0 });
const share = Type.Number({ minimum: 0, maximum: 1 });
const digest = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** A proportion with its two-sided 95% Clopper-Pearson interval. */
const counted = Type.Object({ count, of: count, share, low: share, high: share });

function each<K extends string, T extends TSchema>(names: readonly K[], schema: T) {
  const entries = names.map((name) => [name, schema] as const);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is an entry for every name.
  return Type.Object(Object.fromEntries(entries) as Record<K, T>);
}

const byClass = <T extends TSchema>(schema: T) => each(['real', 'fake'], schema);

const classFigures = Type.Object({
  verdicts: each(resultClasses, count),
  /** Classified as the other class. */
  wrong: counted,
  /** Classified as real or fake, rather than left undecided. */
  decided: counted,
  /** Why pictures were left undecided, by reason code; a picture may have several. */
  reasons: Type.Record(Type.String(), count),
  /** The subfolder with the largest share of the other class; null unless two have at least five pictures. */
  worstFolder: orNull(Type.Object({ folder: Type.String(), pictures: count, wrong: count })),
});

const conditionFigures = Type.Object({
  condition: Type.Enum([...conditions]),
  auc: Type.Object({ value: share, low: share, high: share }),
  /** Expected calibration error over pictures without abstention; null if there are too few. */
  calibration: orNull(Type.Object({ error: share, pictures: count })),
  /** Likelihood ratios; missing in records of earlier versions, and if there are too few pictures. */
  ratios: Type.Optional(Type.Omit(heldOutRatios, ['recorded', 'prior', 'calibration'])),
  strategies: each(['pedantic', 'default', 'relaxed'], byClass(classFigures)),
});

const classPictures = Type.Object({
  found: count,
  /** Number of files with the same bytes as another in the class. */
  repeated: count,
  leftOutBySample: count,
  failed: count,
  measured: count,
  /** Number of pictures that declare themselves generated. Verdicts ignore such declarations here. */
  declaring: count,
  folders: count,
  /** The unit of resampling for the interval of the AUC. */
  drawnBy: Type.Enum(['folder', 'picture']),
  /** SHA-256 of the sorted SHA-256 values of the measured files, each followed by a line feed. */
  digest,
  /** The individual SHA-256 values, which earlier versions stored on request. */
  list: orNull(Type.Array(digest)),
});

const schema = Type.Object({
  formatVersion: Type.Literal(1),
  id: Type.String({ pattern: '^[0-9a-f]{24}$' }),
  /** ISO 8601, UTC. */
  createdAt: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
  model: Type.Object({
    id: Type.String(),
    version: Type.String(),
    files: Type.Record(Type.String(), digest),
  }),
  environment: Type.Record(Type.String(), Type.String()),
  seed: Type.Integer(),
  /** The sample size per class, in records from an earlier version; null for all. */
  sample: orNull(count),
  pictures: Type.Object({ ...byClass(classPictures).properties, inBoth: count }),
  conditions: Type.Array(conditionFigures),
  /** What file properties alone give away, in records from earlier versions. */
  shortcut: Type.Unknown(),
});

export type Validation = Static<typeof schema>;
export type ConditionFigures = Static<typeof conditionFigures>;
export type ClassFigures = Static<typeof classFigures>;
export type ClassPictures = Static<typeof classPictures>;
export type Counted = Static<typeof counted>;

/** @throws {ForensicsError} `evidence_damaged` if the text is not a validation. */
export function parseValidation(text: string): Validation {
  const value = jsonOrNull(text);
  if (Check(schema, value)) return value;
  throw evidenceDamaged(
    'The stored validation is damaged; restore it from a copy, or run the validation again.',
  );
}
