/**
 * Readers for the JSON files of a model. Each takes an unknown value, and returns a checked type or throws an error
 * that names the field. What the manifests of both kinds of model have in common comes last.
 */

import { ForensicsError } from './errors.ts';

/** @param name - of the field, for the message. @throws {ForensicsError} `model_integrity` for an invalid value. */
export type Reader<T> = (value: unknown, name: string) => T;

/** The result type of an object reader, in which fields that may be undefined are optional. */
type Read<Shape extends Readonly<Record<string, Reader<unknown>>>> = {
  readonly [Key in keyof Shape as undefined extends ReturnType<Shape[Key]>
    ? never
    : Key]: ReturnType<Shape[Key]>;
} & {
  readonly [Key in keyof Shape as undefined extends ReturnType<Shape[Key]> ? Key : never]?: Exclude<
    ReturnType<Shape[Key]>,
    undefined
  >;
};

export function damaged(detail: string): ForensicsError {
  return new ForensicsError(
    'model_integrity',
    `The model's description is damaged (${detail}); reinstall the model, or correct its manifest.`,
  );
}

/** @param name - of the file, for the message. @throws {ForensicsError} `model_integrity` if it is not JSON. */
export function parseModelJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = `${name} of the model is not JSON; reinstall the model.`;
    throw new ForensicsError('model_integrity', message, { cause: error });
  }
}

export const fields: Reader<Readonly<Record<string, unknown>>> = (value, name) => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw damaged(`${name} is not an object`);
};

/** Reads the fields in `shape`, and drops all others. */
export function object<Shape extends Readonly<Record<string, Reader<unknown>>>>(
  shape: Shape,
): Reader<Read<Shape>> {
  return (value, name) => {
    const given = fields(value, name);
    const prefix = name.endsWith('.json') ? '' : `${name}.`;
    const entries = Object.entries(shape)
      .map(([key, read]) => [key, read(given[key], `${prefix}${key}`)] as const)
      .filter(([, read]) => read !== undefined);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field was read by the reader of that name
    return Object.fromEntries(entries) as Read<Shape>;
  };
}

export function list<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value, name) => {
    if (!Array.isArray(value)) throw damaged(`${name} is not a list`);
    return value.map((entry: unknown, at) => read(entry, `${name}[${at}]`));
  };
}

/** Reads an object whose keys match `pattern`. */
export function named<T>(pattern: RegExp, read: Reader<T>): Reader<Readonly<Record<string, T>>> {
  return (value, name) => {
    const entries = Object.entries(fields(value, name)).map(([key, entry]) => {
      if (!pattern.test(key)) throw damaged(`${name} has an impossible name`);
      return [key, read(entry, `${name}.${key}`)] as const;
    });
    return Object.fromEntries(entries);
  };
}

export function optional<T>(read: Reader<T>): Reader<T | undefined> {
  return (value, name) => (value === undefined ? undefined : read(value, name));
}

export function orElse<T>(read: Reader<T>, fallback: T): Reader<T> {
  return (value, name) => (value === undefined || value === null ? fallback : read(value, name));
}

export function orNull<T>(read: Reader<T>): Reader<T | null> {
  return (value, name) => (value === undefined || value === null ? null : read(value, name));
}

/** Refuses what is read unless `isValid` is true of it. `what` completes "The field ...". */
export function where<T>(read: Reader<T>, what: string, isValid: (value: T) => boolean): Reader<T> {
  return (value, name) => {
    const found = read(value, name);
    if (isValid(found)) return found;
    throw damaged(`${name} ${what}`);
  };
}

export function matching(pattern: RegExp, what: string): Reader<string> {
  return (value, name) => {
    if (typeof value === 'string' && pattern.test(value)) return value;
    throw damaged(`${name} is not ${what}`);
  };
}

export function oneOf<T extends string>(known: readonly T[]): Reader<T> {
  return (value, name) => {
    const found = known.find((one) => one === value);
    if (found !== undefined) return found;
    throw damaged(`${name} is not one of ${known.join(', ')}`);
  };
}

export const text = matching(/./s, 'a text');

export const date = where(text, 'is not a date', (it) => !Number.isNaN(Date.parse(it)));

export function number(min: number, max: number): Reader<number> {
  return (value, name) => {
    if (typeof value === 'number' && value >= min && value <= max) return value;
    throw damaged(`${name} is not a number from ${min} to ${max}`);
  };
}

export function whole(min: number, max: number): Reader<number> {
  return where(number(min, max), 'is not a whole number', Number.isInteger);
}

/** Numbers of which none is smaller than the one before it. */
export function rising(length: number, read: Reader<number>): Reader<readonly number[]> {
  return where(
    list(read),
    `is not ${length} increasing numbers`,
    (all) => all.length === length && all.every((one, at) => at === 0 || one >= all[at - 1]!),
  );
}

/** Reads a name that the code fixes and a manifest may repeat, because a model with other names would be misread. */
export function fixed(expected: string | readonly string[]): Reader<undefined> {
  return (value, name) => {
    if (value === undefined || JSON.stringify(value) === JSON.stringify(expected)) return undefined;
    throw damaged(`${name} is not ${JSON.stringify(expected)}`);
  };
}

export const share = number(0, 1);

/** A limit well above any fitted weight; the log odds of a method are at most 4. */
export const weight = number(-1000, 1000);

/** One number per decision strategy. */
export type StrategyThresholds = ReturnType<ReturnType<typeof thresholds>>;

/** Limits in this order over the strategies, so that a picture decided under one is also decided under the next. */
export function thresholds(order: 'decreasing' | 'increasing', min: number, max: number) {
  const limit = number(min, max);
  const sign = order === 'increasing' ? 1 : -1;
  return where(
    object({ pedantic: limit, default: limit, relaxed: limit }),
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
    object({ sha256: matching(/^[0-9a-f]{64}$/, 'a SHA-256'), bytes: whole(1, 2 ** 31) }),
  ),
};

/** Log10 likelihood ratios in ascending order: the minimum, the quantiles in steps of 5%, and the maximum. */
const tippettPoints = rising(21, number(-100, 100));

/** Likelihood ratios on pictures on which nothing was fitted. Written by `npm run evaluate -- --ratios`. */
export const heldOutRatios = object({
  recorded: date,
  /** Prior probability on which the stated probability is based. */
  prior: number(0.001, 0.999),
  /** Number of pictures for which the proposition is true, and for which it is false. */
  supporting: whole(1, 1e9),
  opposing: whole(1, 1e9),
  /** On what the probability was calibrated; absent for a tenant's own pictures. */
  calibration: optional(object({ pictures: whole(1, 1e9), sources: whole(1, 1e9) })),
  /** Mean cost of the log likelihood ratios in bits (Cllr): 0 is perfect, and 1 is uninformative. */
  cllr: number(0, 100),
  /** Empirical lower and upper bounds (ELUB): this many pictures support no ratios beyond them. */
  lower: number(1e-9, 1),
  upper: number(1, 1e9),
  tippett: object({ supporting: tippettPoints, opposing: tippettPoints }),
});
export type HeldOutRatios = ReturnType<typeof heldOutRatios>;
