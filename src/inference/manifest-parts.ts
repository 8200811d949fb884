/** What the manifests of both kinds of model share: who the model is, limits for each strategy, held-out likelihood ratios. */

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

/** More than any weight that a fit gives: log odds of a method are at most 4. */
export const weight = number(-1000, 1000);

// Numbers for each decision strategy.

const strategyNumbers = (min: number, max: number) => {
  const limit = number(min, max);
  return object({ pedantic: limit, default: limit, relaxed: limit });
};
export type StrategyThresholds = ReturnType<ReturnType<typeof strategyNumbers>>;

/** The order of the strategies makes their decided pictures subsets of each other: a model that breaks it is refused. */
export function thresholds(
  order: 'falling' | 'rising',
  min: number,
  max: number,
): Reader<StrategyThresholds> {
  return (value, name) => {
    const read = strategyNumbers(min, max)(value, name);
    const sign = order === 'rising' ? 1 : -1;
    if (sign * (read.default - read.pedantic) >= 0 && sign * (read.relaxed - read.default) >= 0) {
      return read;
    }
    throw damaged(`${name} is not ${order} from pedantic to relaxed`);
  };
}

export const fakeMin = thresholds('falling', 0.5, 1);

// Who the model is, and of which files it is made.

export const identity = {
  id: matching(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'an identifier'),
  version: text,
  created: date,
  /** All of the folder that decide anything, the manifest itself among them. */
  files: named(
    /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/,
    object({ sha256: matching(/^[0-9a-f]{64}$/, 'a SHA-256'), bytes: whole(1, 2 ** 31) }),
  ),
};

/** Log10 of likelihood ratios, rising: the least, one at every twentieth of the pictures, the greatest. */
const tippettPoints: Reader<readonly number[]> = (value, name) => {
  const read = list(number(-100, 100))(value, name);
  if (read.length === 21 && read.every((one, at) => one >= (read[at - 1] ?? -100))) return read;
  throw damaged(`${name} is not 21 rising numbers`);
};

/** Likelihood ratios of pictures that nothing was fitted on. `npm run evaluate -- --ratios` writes it. */
export const heldOutRatios = object({
  recorded: date,
  /** What the stated probability assumes before anything is seen. */
  prior: number(0.001, 0.999),
  /** Pictures of which the proposition is true, and of which it is not. */
  supporting: whole(1, 1e9),
  opposing: whole(1, 1e9),
  /** What the probability was calibrated on; nothing for pictures of the tenant's own. */
  calibration: optional(object({ pictures: whole(1, 1e9), sources: whole(1, 1e9) })),
  /** Mean cost of the log likelihood ratios in bits: 0 is perfect, and 1 says nothing. */
  cllr: number(0, 100),
  /** Empirical lower and upper bound: ratios beyond them are not borne out by so many pictures. */
  lower: number(1e-9, 1),
  upper: number(1, 1e9),
  tippett: object({ supporting: tippettPoints, opposing: tippettPoints }),
});
export type HeldOutRatios = ReturnType<typeof heldOutRatios>;

type ModelFiles = Readonly<Record<string, { readonly sha256: string; readonly bytes: number }>>;

export function rootFields(json: string) {
  return fields(parseModelJson(json, 'manifest.json'), 'manifest.json');
}

/** Thresholds and calibration decide no less than weights do, so the manifest is a file of its model like the others. */
export function withManifest(files: ModelFiles, json: string): ModelFiles {
  const bytes = Buffer.from(json);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { ...files, 'manifest.json': { sha256, bytes: bytes.length } };
}
