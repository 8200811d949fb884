import type { SeenBefore } from '../contract/seen-before.ts';
import type { ModelIdentity } from '../detectors/result.ts';
import type { PixelOrientation } from '../image/orientation.ts';
import type { PdfPart } from '../image/pdf.ts';
import type { MeasuredCondition } from '../contract/manifest.ts';

export interface CustodyEvent {
  readonly at: Date;
  /** Who did it, in this program's own terms: `user 6f1c...`, `api key 2b9e...`, `service`, `operator`. */
  readonly actor: string;
  readonly event: (typeof custodyEvents)[number];
  /** What the received or created bytes are, and their SHA-256 in lower-case hex; empty if there were none. */
  readonly hashes: readonly { readonly name: string; readonly sha256: string }[];
}

/** Translates the kind of actor in `user 6f1c...` and leaves the identifier unchanged. */
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

/** A validation that the customer ran, cited by its id. */
export interface OwnValidation {
  readonly id: string;
  readonly createdAt: Date;
  readonly model: ModelIdentity;
  readonly conditions: readonly MeasuredCondition[];
}

/** Facts given by the person who ordered or is responsible for the report; the text may contain any characters. */
export interface CaseData {
  readonly caseNumber?: string;
  readonly exhibit?: string;
  readonly examiner?: string;
  readonly note?: string;
  readonly laboratory?: Laboratory;
}

export interface Laboratory {
  readonly name: string;
  readonly address: readonly string[];
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
      /** The addresses that the first one redirected to, in order. */
      readonly redirects: readonly string[];
      /** What the server said about the file: its name, type and dates. */
      readonly headers: Readonly<Record<string, string>>;
      /** ISO 8601. */
      readonly fetchedAt: string;
    };

/** A picture that shows the same thing, next to this one. */
export interface Beside {
  readonly id: string;
  /** See `AlignedPictures`; in Base64, null if the original of the other picture is no longer stored. */
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
  /** Number of retries after failures, before the run that this report describes. */
  readonly retries?: number;
  /** Error rates that the customer measured on their own pictures (`forensics validate`). */
  readonly validation?: OwnValidation;
  /** Prints all metadata of the file as an annex. Off by default, because it may contain personal data. */
  readonly withMetadata?: boolean;
  /** Shows the error level map, which plays no part in any verdict. */
  readonly withErrorLevel?: boolean;
  readonly caseData?: CaseData;
  /** Pictures that the service has seen before; omitted if there are none. */
  readonly seenBefore?: readonly SeenBefore[];
  /** Pictures that show the same thing, as many as fit into an annex; omitted if there are none. */
  readonly beside?: readonly Beside[];
  /** Where the picture comes from, outermost first: a picture in a PDF that was fetched has both origins. */
  readonly origins?: readonly Origin[];
  /**
   * When the examination ran. The report has no other time except in custody, so the same result gives the same bytes.
   */
  readonly examinedAt: Date;
}

/** The texts of the contract's `report` object in one language. */
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
