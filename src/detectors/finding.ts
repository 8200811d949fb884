/**
 * The one contract that every forensic method keeps. A finding or a skip is a result, never an error: "too small for
 * this method" is something the examiner wants to read.
 */

import type { Picture } from '../image/picture.ts';

export interface Finding {
  /** Stable identifier of the method: `trace-network`, `photograph-likeness`, ... */
  readonly method: string;
  /** 0..1: how strongly this method speaks for a change or a synthetic origin; 0.5 says nothing. */
  readonly score: number;
  /** What was seen, one sentence a reader without training understands, in each report language. */
  readonly statement: { readonly en: string; readonly de: string };
  /** Numbers behind the sentence, by name. */
  readonly measures: Readonly<Record<string, number>>;
  /** Paper or standard the method comes from. */
  readonly source: string;
}

export interface Skipped {
  readonly method: string;
  /** Why this method could say nothing, one sentence in each report language. */
  readonly reason: { readonly en: string; readonly de: string };
}

/** What the trace network read; every detector may look at it beside the pixels. */
export interface TraceEvidence {
  /** Calibrated probability 0..1 that the picture is fake, and its standard deviation over the Monte Carlo passes. */
  readonly fakeProbability: number;
  readonly fakeUncertainty: number;
  readonly patchesRead: number;
  readonly passes: number;
}

export interface DetectorInput {
  readonly picture: Picture;
  readonly traces: TraceEvidence;
}

export interface Detector {
  readonly method: string;
  examine(input: DetectorInput): Finding | Skipped;
}
