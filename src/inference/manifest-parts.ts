/** Parts shared by the manifests of both kinds of model: identity, limits for each strategy, held-out likelihood ratios. */

import { createHash } from 'node:crypto';
import {
  damaged,
  date,
  fields,
  list,
  matching,
  named,
  number,
  object,
  parseModelJson,
  type Reader,
  text,
  whole,
  optional,
} from './fields.ts';

export const share = number(0, 1);

/** Bound well above any fitted weight: the log odds of a method are at most 4. */
export const weight = number(-1000, 1000);

// Reads one number per decision strategy.

const strategyNumbers = (min: number, max: number) => {
  const limit = number(min, max);
  return object({ pedantic: limit, default: limit, relaxed: limit });
};
export type StrategyThresholds = ReturnType<ReturnType<typeof strategyNumbers>>;

/**
 * Reads limits that are monotone over the strategies, so that the pictures decided under one are a subset of those
 * under the next. Rejects any other order.
 */
export function thresholds(
  order: 'decreasing' | 'increasing',
  min: number,
  max: number,
): Reader<StrategyThresholds> {
  return (value, name) => {
    const read = strategyNumbers(min, max)(value, name);
    const sign = order === 'increasing' ? 1 : -1;
    if (sign * (read.default - read.pedantic) >= 0 && sign * (read.relaxed - read.default) >= 0) {
      return read;
    }
    throw damaged(`${name} is not ${order} from pedantic to relaxed`);
  };
}

export const fakeMin = thresholds('decreasing', 0.5, 1);

// The identity of a model and the files it consists of.

export const identity = {
  id: matching(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'an identifier'),
  version: text,
  created: date,
  /** Every file in the folder that affects a decision, including the manifest itself. */
  files: named(
    /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/,
    object({ sha256: matching(/^[0-9a-f]{64}$/, 'a SHA-256'), bytes: whole(1, 2 ** 31) }),
  ),
};

/** Log10 likelihood ratios in ascending order: the minimum, the quantiles in steps of 5 %, the maximum. */
const tippettPoints: Reader<readonly number[]> = (value, name) => {
  const read = list(number(-100, 100))(value, name);
  if (read.length === 21 && read.every((one, at) => one >= (read[at - 1] ?? -100))) return read;
  throw damaged(`${name} is not 21 increasing numbers`);
};

/** Likelihood ratios on pictures that nothing was fitted on. Written by `npm run evaluate -- --ratios`. */
export const heldOutRatios = object({
  recorded: date,
  /** Prior probability that the stated probability assumes. */
  prior: number(0.001, 0.999),
  /** Number of pictures for which the proposition is true, and for which it is false. */
  supporting: whole(1, 1e9),
  opposing: whole(1, 1e9),
  /** What the probability was calibrated on; absent for a tenant's own pictures. */
  calibration: optional(object({ pictures: whole(1, 1e9), sources: whole(1, 1e9) })),
  /** Mean cost of the log likelihood ratios in bits (Cllr): 0 is perfect, 1 is uninformative. */
  cllr: number(0, 100),
  /** Empirical lower and upper bound (ELUB): this many pictures do not support ratios beyond them. */
  lower: number(1e-9, 1),
  upper: number(1, 1e9),
  tippett: object({ supporting: tippettPoints, opposing: tippettPoints }),
});
export type HeldOutRatios = ReturnType<typeof heldOutRatios>;

type ModelFiles = Readonly<Record<string, { readonly sha256: string; readonly bytes: number }>>;

export function rootFields(json: string) {
  return fields(parseModelJson(json, 'manifest.json'), 'manifest.json');
}

/**
 * Adds the manifest to its model's files, because thresholds and calibration affect decisions as much as weights do.
 */
export function withManifest(files: ModelFiles, json: string): ModelFiles {
  const bytes = Buffer.from(json);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { ...files, 'manifest.json': { sha256, bytes: bytes.length } };
}
