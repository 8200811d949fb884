import type { ReportEntry } from '../contract/analysis.ts';
import type { Wire } from '../contract/common.ts';
import type { MeasuredCondition } from '../contract/manifest.ts';
import type * as stored from '../contract/report-item.ts';
import type { PixelOrientation } from '../image/orientation.ts';

/** Here, times are dates; `contract/report-item.ts` explains the members. */
export interface CustodyEvent extends Omit<Wire<typeof stored.custodyEvent>, 'at'> {
  readonly at: Date;
}

/** Translates the kind of actor in `user 6f1c...` and leaves the identifier unchanged. */
export function writeActor(actor: string, kinds: Readonly<Record<string, string>>): string {
  const known = Object.entries(kinds).find(([kind]) => `${actor} `.startsWith(`${kind} `));
  if (known === undefined) return actor;
  const [kind, written] = known;
  return `${written}${actor.slice(kind.length)}`;
}

export interface OwnValidation
  extends Omit<Wire<typeof stored.ownValidation>, 'createdAt' | 'conditions'> {
  readonly createdAt: Date;
  readonly conditions: readonly MeasuredCondition[];
}

export type CaseData = Wire<typeof stored.caseData>;
export type Laboratory = Wire<typeof stored.laboratory>;
export type Origin = Wire<typeof stored.origin>;
export type Beside = Wire<typeof stored.beside>;

export interface ReportItem
  extends Omit<Wire<typeof stored.reportItem>, 'examinedAt' | 'validation'> {
  readonly examinedAt: Date;
  readonly validation?: OwnValidation;
  /** Orientation of the heatmap files; upright if omitted. The report itself shows the picture and heatmaps upright. */
  readonly heatmapOrientation?: PixelOrientation;
  /** What happened to the file, oldest first; omitted if nothing was recorded. */
  readonly custody?: readonly CustodyEvent[];
}

/** The texts of the contract's `report` object in one language. */
export type ReportTexts = Omit<ReportEntry, 'pdfStorageUrls'>;
