import type { Stance } from '../image/orientation.ts';

/** What a report says about the item beside the examination itself. */
export interface ReportItem {
  /** File name or name of the analysis, as the client gave it: any characters, any length. Never used as a path. */
  readonly name: string;
  readonly analysisId: string | null;
  /** True when other bytes were put in the place of the upload after the copy was taken that was examined. */
  readonly isUploadReplaced?: boolean;
  /** How the heatmap files lie; upright when left out. The report itself shows the picture and them upright. */
  readonly heatmapStance?: Stance;
  /** When the examination ran. The only time in the report, so that the same result gives the same bytes. */
  readonly examinedAt: Date;
}
