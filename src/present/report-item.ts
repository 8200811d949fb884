import type { SeenBefore } from '../contract/seen-before.ts';
import type { Bilingual, Language } from '../contract/vocabulary.ts';
import type { ModelIdentity } from '../engine/result.ts';
import type { PixelOrientation } from '../image/orientation.ts';
import type { PdfPart } from '../image/pdf.ts';
import type { MeasuredCondition } from '../inference/manifest.ts';

/** One step of the chain of custody. */
export interface CustodyEvent {
  readonly at: Date;
  /** Who did it, as this program knows them: `user 6f1c...`, `api key 2b9e...`, `service`, `operator`. */
  readonly actor: string;
  readonly event: (typeof custodyEvents)[number];
  /** SHA-256 in lower-case hex of the bytes received or created, with what they are; empty if there were none. */
  readonly hashes: readonly { readonly name: string; readonly sha256: string }[];
}

/** `user 6f1c...`: the kind in the reader's language, the identifier unchanged. */
export function writeActor(actor: string, kinds: Readonly<Record<string, string>>): string {
  const known = Object.entries(kinds).find(([kind]) => `${actor} `.startsWith(`${kind} `));
  if (known === undefined) return actor;
  const [kind, written] = known;
  return `${written}${actor.slice(kind.length)}`;
}

export const custodyEvents = [
  'created',
  'received',
  'replaced_upload_noticed',
  'opened',
  'examined',
  'rendered',
  'written',
  'failed',
  'retried',
  'upgraded',
  'bundled',
  'deleted',
] as const;

/** A validation of the customer's own, cited by its id. */
export interface OwnValidation {
  readonly id: string;
  readonly createdAt: Date;
  /** The model that was measured. */
  readonly model: ModelIdentity;
  readonly conditions: readonly MeasuredCondition[];
}

/** Stated by the person who ordered the report or is responsible for it; may contain any characters. */
export interface CaseData {
  readonly caseNumber?: string;
  readonly exhibit?: string;
  readonly examiner?: string;
  readonly note?: string;
  readonly laboratory?: Laboratory;
}

export interface Laboratory {
  readonly name: string;
  /** Lines of its address. */
  readonly address: readonly string[];
  /** Printed before the signature. */
  readonly sentences: readonly string[];
  /** A PNG or JPEG file in Base64; null without one. */
  readonly logo: string | null;
}

/** The source of a picture that was not given as a separate file. */
export type Origin =
  | ({
      readonly kind: 'pdf';
      readonly name: string;
      /** SHA-256 of the PDF, lower-case hex. */
      readonly sha256: string;
    } & PdfPart)
  | {
      readonly kind: 'url';
      readonly url: string;
      /** The addresses that it redirected to, in order. */
      readonly redirects: readonly string[];
      /** What the server said about the file: its name, type and dates. */
      readonly headers: Readonly<Record<string, string>>;
      /** ISO 8601. */
      readonly fetchedAt: string;
    };

/** This picture and another, side by side. */
export interface Beside {
  /** Id of the other analysis. */
  readonly id: string;
  /** See `AlignedPictures`, in Base64; null if the original of the other picture is no longer stored. */
  readonly jpeg: string | null;
  readonly differing: number;
}

/** What a report says about the item besides the examination itself. */
export interface ReportItem {
  /** File name or name of the analysis, as the client gave it: any characters, any length. Never used as a path. */
  readonly name: string;
  readonly analysisId: string | null;
  /** True if the upload was replaced by other bytes after the examined copy was made. */
  readonly isUploadReplaced?: boolean;
  /** Orientation of the heatmap files; upright if omitted. The report itself shows the picture and heatmaps upright. */
  readonly heatmapOrientation?: PixelOrientation;
  /** What happened to the file, oldest first; omitted if nothing was recorded. */
  readonly custody?: readonly CustodyEvent[];
  /** Retries after failures, before the run that this report is about. */
  readonly retries?: number;
  /** Error rates measured on the customer's own pictures (`forensics validate`). */
  readonly validation?: OwnValidation;
  /** Print all metadata of the file as an appendix. Off by default: it may hold personal data. */
  readonly withMetadata?: boolean;
  /** Show the error level map, which plays no part in any verdict. */
  readonly withErrorLevel?: boolean;
  readonly caseData?: CaseData;
  /** Pictures that the service had seen before; omitted if there are none. */
  readonly seenBefore?: readonly SeenBefore[];
  /** Pictures that show the same thing, as many as fit into an annex; absent if there are none. */
  readonly beside?: readonly Beside[];
  /** The outermost first: a PDF that was fetched has both. */
  readonly origins?: readonly Origin[];
  /**
   * When the examination ran. The report has no other time apart from custody, so the same result gives the same bytes.
   */
  readonly examinedAt: Date;
}

/** The texts of the contract's `report` object, in one language. */
export interface ReportTexts {
  readonly summary: string;
  readonly forensic: string;
  readonly heatmapIntro: string;
  readonly heatmap: {
    readonly real: string;
    readonly fake: string;
    readonly compressed: string;
    readonly anomaly: string;
  };
  readonly conclusion: string;
}

/** Writes the same statement in every language. */
export function inBoth(write: (language: Language) => string): Bilingual {
  return { en: write('en'), de: write('de') };
}
