/** Fixed paragraphs and words of the PDF beside headings and row names (`labels.ts`), as one table a language. */

import type { Assurance, DeclarationPlace, DeclaredOrigin } from '../../contract/vocabulary.ts';
import type { ContentCredentials, NamedSoftware } from '../../provenance/provenance.ts';
import type { CustodyEvent } from '../report-item.ts';
import type { Part } from '../sections/blocks.ts';

export interface Prose {
  readonly parts: Readonly<Record<Part, string>>;
  readonly head: {
    readonly preparedBy: (program: string) => string;
    readonly versions: string;
    /** How facts and evaluation are kept apart, and what the seed may change. */
    readonly reading: (x: { facts: string; evaluation: string }) => string;
  };
  readonly question: {
    readonly put: string;
    readonly columns: readonly [string, string];
    readonly propositions: Readonly<Record<'real' | 'fake', string>>;
    readonly alternativesTitle: string;
    readonly alternatives: readonly string[];
    readonly notAsked: string;
  };
  readonly item: {
    readonly metadataTitle: string;
    readonly metadataNote: string;
    readonly noMetadata: string;
    readonly absent: string;
  };
  readonly custody: {
    readonly intro: string;
    readonly none: string;
    /** Why checksums of reports in the record are not those of the bundle. */
    readonly redrawn: string;
    readonly columns: readonly [string, string, string];
    readonly events: Readonly<Record<CustodyEvent['event'], string>>;
    /** Kinds of actors by the word that `CustodyEvent.actor` begins with. */
    readonly actors: Readonly<Record<string, string>>;
    /** What a checksum is of, by the name that the record gives; others go by their own. */
    readonly hashes: Readonly<Record<string, string>>;
  };
  readonly provenance: ProvenanceProse;
  readonly results: {
    /** Beside the values of a picture whose traces cannot be judged. */
    readonly outside: string;
    readonly stabilityTitle: string;
    readonly stabilityColumns: readonly [string, string, string];
    readonly stabilityMissing: string;
    /** Whether a trial lies clearly on the other side. */
    readonly flips: Readonly<Record<'yes' | 'no', string>>;
  };
  readonly method: {
    readonly steps: (x: { model: string; cell: string; patches: string; passes: string }) => string;
    /** Of a model with a second arm. */
    readonly secondArm: string;
    /** Of the model that looked for local changes. */
    readonly changes: (model: string) => string;
    readonly locator: string;
    readonly conversions: string;
    readonly noConversions: string;
    readonly retriesUnknown: string;
  };
  readonly methodMaps: {
    readonly title: string;
    readonly intro: string;
    /** Of a method that speaks for neither side. */
    readonly neutral: string;
    readonly shownOnly: string;
  };
  readonly validation: ValidationProse;
  readonly evaluation: {
    readonly comparisonTitle: string;
    readonly findingsTitle: string;
    readonly sides: Readonly<Record<'real' | 'fake', (strength: string) => string>>;
    readonly neutralTitle: string;
    readonly noneSpeaks: string;
    readonly scaleTitle: string;
    readonly scaleColumns: readonly [string, string, string];
    readonly scaleRanges: {
      readonly below: (to: string) => string;
      readonly between: (from: string, to: string) => string;
      readonly from: (from: string) => string;
    };
    readonly scaleMeaning: (strength: string) => string;
    readonly scaleNone: string;
    readonly scaleNote: string;
    readonly integrityTitle: string;
    readonly integrity: string;
    readonly credentials: Readonly<Record<ContentCredentials['integrity'], string>>;
    readonly authenticity: string;
  };
  readonly reasons: {
    readonly helpTitle: string;
    readonly decided: string;
    /** When what the file declares was decisive; and why the traces alone would have decided nothing. */
    readonly declared: string;
    /** When a part that was changed was decisive. */
    readonly changed: string;
    readonly tracesAlone: (reasons: string) => string;
    readonly helpDecided: readonly string[];
  };
  readonly limits: {
    /** What kind of result it is, by what was decisive. */
    readonly nature: Readonly<Record<'traced' | 'changed' | 'declared', string>>;
    readonly statements: readonly string[];
    readonly notCheckedTitle: string;
    readonly notCheckedNone: string;
    readonly examinerTitle: string;
    readonly examiner: string;
  };
  readonly integrity: {
    readonly bundle: string;
    readonly reproduce: string;
    readonly pdfOnlyTitle: string;
    readonly pdfOnly: readonly string[];
  };
  readonly settings: { readonly intro: string };
  readonly metadata: { readonly intro: string; readonly empty: string };
  readonly signature: {
    readonly intro: string;
    readonly assessment: readonly string[];
    readonly notes: string;
    readonly lines: readonly string[];
  };
}

export interface ProvenanceProse {
  readonly intro: string;
  readonly declarationsTitle: string;
  readonly noDeclaration: string;
  readonly columns: readonly [string, string, string, string];
  readonly origins: Readonly<Record<DeclaredOrigin, string>>;
  readonly places: Readonly<Record<DeclarationPlace, string>>;
  readonly assurances: Readonly<Record<Assurance, string>>;
  readonly credentialsTitle: string;
  readonly noCredentials: string;
  readonly integrity: Readonly<Record<ContentCredentials['integrity'], string>>;
  readonly trust: Readonly<Record<ContentCredentials['trust'], string>>;
  readonly timestamp: Readonly<Record<'present' | 'absent', string>>;
  readonly credentialsNote: string;
  readonly fileTitle: string;
  readonly software: Readonly<Record<NamedSoftware['kind'], string>>;
  readonly libjpeg: (quality: string) => string;
  readonly knownSoftware: (name: string) => string;
  readonly customTables: string;
  readonly beginsLike: (kind: string) => string;
  readonly inconsistenciesTitle: string;
  readonly inconsistenciesNote: string;
  readonly noInconsistencies: string;
}

export interface ValidationProse {
  readonly intro: (x: { strategy: string; real: string; fake: string }) => string;
  /** Of the longer sides of the pictures, in pixels. */
  readonly sides: (x: { least: string; greatest: string }) => string;
  readonly none: string;
  readonly columns: readonly [string, string, string, string, string];
  readonly worst: Readonly<
    Record<'real' | 'fake', (x: { condition: string; rate: string; high: string }) => string>
  >;
  readonly meaning: string;
  /** Of the verdict that a part was changed. */
  readonly changes: {
    readonly title: string;
    readonly intro: (x: { strategy: string; changed: string; photographs: string }) => string;
    readonly columns: readonly [string, string, string];
    readonly meaning: string;
  };
  readonly ownTitle: (id: string) => string;
  readonly own: (x: {
    real: string;
    fake: string;
    time: string;
    model: string;
    strategy: string;
  }) => string;
  readonly ownOtherModel: string;
  readonly neverTestedTitle: string;
  readonly neverTested: readonly string[];
}
