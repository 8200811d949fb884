/** The interface of every forensic method. A finding or a skip is a result, not an error. */

import type { Evidence } from '../contract/evidence.ts';
import {
  type Assurance,
  type Bilingual,
  type PictureKind,
  type Strength,
  strengths,
} from '../contract/vocabulary.ts';
import type { Picture } from '../image/picture.ts';
import type { GeneratorSizes, WordModel } from '../contract/manifest.ts';
import type { Provenance } from '../contract/provenance.ts';
import type { CellMap, Region } from './regions.ts';
import type { FindingStatement, SkipReason } from './statements.ts';

/** `measures` are the numbers behind the statement, by name. */
export interface Finding extends Omit<Evidence['findings'][number], 'statement'> {
  /** What the method observed. Examinations stored by earlier versions contain complete sentences instead. */
  readonly statement: FindingStatement | Bilingual;
}

export interface LocalisedFinding {
  readonly finding: Finding;
  readonly map: CellMap;
  /** The two regions of copied parts, which cannot be told apart in the map if they touch. */
  readonly copies?: readonly Region[];
}

export interface Skipped {
  readonly method: string;
  /** Why this method has no finding. Examinations stored by earlier versions contain complete sentences instead. */
  readonly reason: SkipReason | Bilingual;
}

/** Results of the trace network, available to every detector along with the pixels. */
export interface TraceEvidence {
  /** Calibrated probability, 0..1, that the picture is fake, and its standard deviation over the Monte Carlo passes. */
  readonly fakeProbability: number;
  readonly fakeUncertainty: number;
  readonly patchesRead: number;
  readonly passes: number;
  /** The kind of picture that the transformer sees, and its likeness to a photograph; null without a transformer. */
  readonly kind: {
    readonly kind: PictureKind;
    readonly photograph: number;
    readonly photographMin: number;
  } | null;
  /** What the picture's size indicates; null if generators do not use this size. */
  readonly size: Pick<GeneratorSizes, 'ratio' | 'sources' | 'leastSide'> | null;
}

/** Results of the localisation network. */
export interface ChangeEvidence {
  /** Logit of the probability that anything in the picture was changed. */
  readonly score: number;
  /** For each cell, the probability 0..1 that it was changed, and the probability that this value is correct. */
  readonly changed: CellMap;
  readonly trust: CellMap;
}

export interface DetectorInput {
  readonly picture: Picture;
  readonly traces: TraceEvidence;
  /** Null if the localisation network did not run. */
  readonly changes: ChangeEvidence | null;
  /** Null if the localisation model is of a version that did not compare words. */
  readonly words: WordModel | null;
  readonly provenance: Provenance;
}

export type Answer = Finding | LocalisedFinding | Skipped;

/** `Given` is narrower for a method that never marks regions, or always marks some. */
export interface Detector<Given extends Answer = Answer> {
  readonly method: string;
  examine(input: DetectorInput): Given;
}

/** Minimum likelihood ratio for each of the `strengths`, in the same order. */
export const strengthFrom = [0, 2, 10, 100, 1000, 10_000] as const;

/** @param ratio - likelihood ratio in favour of the indicated side, 1 or more. */
export function strengthOfRatio(ratio: number): Strength {
  const step = strengthFrom.findLastIndex((from) => ratio >= from);
  return strengths[Math.max(0, step)]!;
}

/** Which side a likelihood ratio in favour of `side` indicates; neither if it has no strength. */
export function sided(side: 'real' | 'fake', ratio: number): Omit<Weight, 'score'> {
  const strength = strengthOfRatio(ratio);
  return { speaksFor: strength === 'none' ? 'neither' : side, strength };
}

/**
 * Strength of a file's statement about its own origin, by who vouches for it. This is a convention,
 * not a measurement, because forgers decide how often such statements are false. Anyone can sign,
 * but needs a certificate and a suitable program; anyone can write plain text.
 */
export const strengthOfAssurance = {
  unsigned: 'weak',
  watermark: 'moderate',
  signed: 'moderate',
  trusted: 'strong',
} as const satisfies Readonly<Record<Assurance, Strength>>;

export type Weight = Pick<Finding, 'speaksFor' | 'strength' | 'score'>;

/** The score is the probability that corresponds to the convention at even prior odds. */
export function conventionalWeight(speaksFor: 'real' | 'fake', strength: Strength): Weight {
  const ratio = strengthFrom[strengths.indexOf(strength)]!;
  const probability = ratio / (1 + ratio);
  return { speaksFor, strength, score: speaksFor === 'fake' ? probability : 1 - probability };
}

export const noWeight: Weight = { speaksFor: 'neither', strength: 'none', score: 0.5 };
