/**
 * The one contract that every forensic method keeps. A finding or a skip is a result, never an error: "too small for
 * this method" is something the examiner wants to read.
 */

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
  readonly reason: string;
}
