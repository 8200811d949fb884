/** The texts that the contract's `report` object names, for one language. */
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
