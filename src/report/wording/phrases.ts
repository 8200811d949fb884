/**
 * What a report can say, as one table a language. Sentences that may vary are lists of equals: the seed picks one, and
 * every language holds as many, so that both reports of a picture say the same.
 */

import type {
  Assurance,
  DecisionStrategy,
  ReasonCode,
  ResultSubClass,
} from '../../contract/vocabulary.ts';
import type { MapName } from '../../engine/result.ts';
import type { Level, Place } from '../account.ts';

export interface Reason {
  /** Follows "Reason:" and stands in lists; no full stop. */
  readonly short: string;
  readonly what: string;
  /** What would help: a noun phrase that follows "Helpful:". */
  readonly help: string;
}

export interface MapPhrases {
  /** What a high value means. */
  readonly meaning: string;
  /** What must not be read into it. */
  readonly caution: string;
}

export interface Phrases {
  readonly summary: {
    /** With the adverb that stands between "speaks" and "for". */
    readonly decided: Readonly<Record<'real' | 'fake', readonly ((adverb: string) => string)[]>>;
    /** When no strength can be stated. */
    readonly pointing: Readonly<Record<'real' | 'fake', readonly string[]>>;
    /** When the decision rests on what the file declares; `origin` as in `Prose.provenance.origins`. */
    readonly declared: readonly ((origin: string) => string)[];
    readonly generator: (name: string) => string;
    readonly vouched: Readonly<Record<Assurance, string>>;
    /** The probability beside a decision that does not rest on it. */
    readonly tracesAlone: readonly ((p: string, deviation: string) => string)[];
    /** The same, when the traces alone lie outside what the method was validated for. */
    readonly tracesSilent: readonly string[];
    readonly probability: readonly ((p: string, deviation: string) => string)[];
    readonly kinds: Readonly<Record<ResultSubClass, string>>;
    readonly kindUnknown: string;
    readonly abstain: readonly string[];
    readonly uncertain: readonly string[];
    readonly reasons: (shorts: readonly string[]) => string;
    /** In place of that the result speaks for nothing, where a change is suspected. */
    readonly suspected: string;
    readonly neutral: readonly string[];
  };
  readonly reasons: Readonly<Record<ReasonCode, Reason>>;
  readonly levels: Readonly<Record<Level, string>>;
  readonly strategies: Readonly<Record<DecisionStrategy, string>>;
  readonly forensic: {
    readonly item: (x: { name: string; facts: string; sha256: string }) => string;
    readonly jpeg: (x: {
      quality: string | null;
      subsampling: string;
      progressive: boolean;
    }) => string;
    readonly method: (x: { model: string; patches: string; passes: string }) => string;
    readonly traces: (x: { real: string; fake: string; compression: string }) => string;
    readonly reading: (value: string, deviation: string, level: string) => string;
    readonly nearer: Readonly<
      Record<'real' | 'fake' | 'neither', (real: string, fake: string) => string>
    >;
    readonly anomaly: (score: string) => string;
    readonly clusters: (count: string, gini: string) => string;
    readonly anomalyMissing: string;
    readonly decision: (x: { p: string; deviation: string; strategy: string }) => string;
    /** Of a decision that rests on a changed part. */
    readonly decisionByChange: (x: { p: string; strategy: string }) => string;
    readonly findings: string;
    readonly skipped: (methods: string) => string;
  };
  readonly heatmap: {
    readonly intro: (cellPx: string) => readonly string[];
    /** For heatmap files that lie as the pixels are stored. */
    readonly asStored: string;
    readonly map: Readonly<Record<MapName, MapPhrases>>;
    /** What a heatmap shows beside what the trace network says, since changed parts are looked for. */
    readonly changes: Readonly<Partial<Record<MapName, string>>>;
    readonly places: Readonly<Record<Place, string>>;
    readonly peak: (x: { mean: string; highest: string; place: string; share: string }) => string;
    readonly even: (mean: string) => string;
  };
  readonly conclusion: {
    readonly real: readonly string[];
    readonly fake: readonly string[];
    /** Of a fake by a part that was changed, for which no error rate is stated. */
    readonly changed: readonly string[];
    readonly declared: readonly string[];
    readonly abstain: readonly string[];
    readonly uncertain: readonly string[];
    readonly help: string;
    readonly duty: readonly string[];
  };
}
