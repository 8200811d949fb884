/** Kinds of fields in the JSON files of a model, how such a file is read, and what all manifests have in common. */

import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { orNull as nullable, type Wire } from './common.ts';
import { ForensicsError } from './errors.ts';
import { explain } from './explain.ts';

export function damaged(detail: string): ForensicsError {
  return new ForensicsError(
    'model_integrity',
    `The model's description is damaged (${detail}); reinstall the model, or correct its manifest.`,
  );
}

/** @param name - of the file, for the message. @throws {ForensicsError} `model_integrity` if it is not a JSON object. */
export function parseModelJson(text: string, name: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    const message = `${name} of the model is not JSON; reinstall the model.`;
    throw new ForensicsError('model_integrity', message, { cause: error });
  }
  throw damaged(`${name} is not an object`);
}

/** Fills in defaults, drops other members. @throws {ForensicsError} `model_integrity` naming the first wrong field. */
export function readModelFile<T extends TSchema>(schema: T, root: object): Wire<T> {
  const value = Value.Default(schema, root);
  if (!Value.Check(schema, value)) {
    throw damaged(explain(Value.Errors(schema, value), schema).replace(/\.$/, ''));
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked above; only other members are dropped
  return Value.Clean(schema, value) as Wire<T>;
}

/** A field that may be left out, with the value that it then has. */
export function orElse<T extends TSchema>(schema: T, fallback: Static<T>): T {
  // Not by spreading, which would lose the hidden members that TypeBox goes by.
  const members = Object.getOwnPropertyDescriptors(schema);
  const ownDefault = { value: fallback, enumerable: true };
  return Object.defineProperties<T>(Object.create(null), { ...members, default: ownDefault });
}

export function orNull<T extends TSchema>(schema: T) {
  return orElse(nullable(schema), null);
}

/** Refuses what matches the schema unless `isValid` is true of it. `what` completes "The field ...". */
export function where<T extends TSchema>(
  schema: T,
  what: string,
  isValid: (value: Static<T>) => boolean,
) {
  return Type.Refine(schema, isValid, () => what);
}

/** An object whose keys match `pattern`. */
export function named<T extends TSchema>(pattern: RegExp, schema: T) {
  return where(Type.Record(Type.String(), schema), 'has an impossible name', (found) =>
    Object.keys(found).every((key) => pattern.test(key)),
  );
}

export function matching(pattern: RegExp, what: string) {
  return Type.String({ pattern: pattern.source, description: what });
}

export const text = Type.String({ minLength: 1 });

export const date = where(text, 'is not a date', (it) => !Number.isNaN(Date.parse(it)));

export function number(minimum: number, maximum: number) {
  return Type.Number({ minimum, maximum });
}

export function whole(minimum: number, maximum: number) {
  return Type.Integer({ minimum, maximum });
}

/** Lists of numbers, or with `depth` lists of such lists. Our own check: TypeBox takes 0.1 s for thousands of numbers. */
export function numbers<T>(minimum: number, maximum: number, depth = 1) {
  const areValid = (value: unknown, levels: number): boolean =>
    levels === 0
      ? typeof value === 'number' && value >= minimum && value <= maximum
      : Array.isArray(value) && value.every((one) => areValid(one, levels - 1));
  const what = `is not a list of numbers from ${minimum} to ${maximum}`;
  return where(Type.Unsafe<T>({}), what, (value) => areValid(value, depth));
}

/** Numbers of which none is smaller than the one before it. */
export function rising(length: number, schema: Type.TNumber | Type.TInteger) {
  return where(
    Type.Array(schema, { minItems: length, maxItems: length }),
    `is not ${length} increasing numbers`,
    (all) => all.every((one, at) => at === 0 || one >= all[at - 1]!),
  );
}

/** A name that the code fixes and a manifest may repeat, because a model with other names would be misread. */
export function fixed(expected: string | readonly string[]) {
  return Type.Optional(Type.Unsafe<unknown>({ const: expected }));
}

export const share = number(0, 1);

/** A limit well above any fitted weight; the log odds of a method are at most 4. */
export const weight = number(-1000, 1000);

/** One number per decision strategy. */
export type StrategyThresholds = Wire<ReturnType<typeof thresholds>>;

/** Limits in this order over the strategies, so that a picture decided under one is also decided under the next. */
export function thresholds(order: 'decreasing' | 'increasing', min: number, max: number) {
  const limit = number(min, max);
  const sign = order === 'increasing' ? 1 : -1;
  return where(
    Type.Object({ pedantic: limit, default: limit, relaxed: limit }),
    `is not ${order} from pedantic to relaxed`,
    ({ pedantic, default: usual, relaxed }) =>
      sign * (usual - pedantic) >= 0 && sign * (relaxed - usual) >= 0,
  );
}

export const fakeMin = thresholds('decreasing', 0.5, 1);

// The identity of a model, and the files of which it consists.

export const identity = {
  id: matching(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'an identifier'),
  version: text,
  created: date,
  /** Every file in the folder that affects decisions, including the manifest. */
  files: named(
    /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/,
    Type.Object({ sha256: matching(/^[0-9a-f]{64}$/, 'a SHA-256'), bytes: whole(1, 2 ** 31) }),
  ),
};

/** Log10 likelihood ratios in ascending order: the minimum, the quantiles in steps of 5%, and the maximum. */
const tippettPoints = rising(21, number(-100, 100));

/** Likelihood ratios on pictures on which nothing was fitted. Written by `npm run evaluate -- --ratios`. */
export const heldOutRatios = Type.Object({
  recorded: date,
  /** Prior probability on which the stated probability is based. */
  prior: number(0.001, 0.999),
  /** Number of pictures for which the proposition is true, and for which it is false. */
  supporting: whole(1, 1e9),
  opposing: whole(1, 1e9),
  /** On what the probability was calibrated; absent for a tenant's own pictures. */
  calibration: Type.Optional(Type.Object({ pictures: whole(1, 1e9), sources: whole(1, 1e9) })),
  /** Mean cost of the log likelihood ratios in bits (Cllr): 0 is perfect, and 1 is uninformative. */
  cllr: number(0, 100),
  /** Empirical lower and upper bounds (ELUB): this many pictures support no ratios beyond them. */
  lower: number(1e-9, 1),
  upper: number(1, 1e9),
  tippett: Type.Object({ supporting: tippettPoints, opposing: tippettPoints }),
});
export type HeldOutRatios = Wire<typeof heldOutRatios>;
