/** What the processes of the proof say on standard output: one line of JSON. */

export const steps = ['start', 'analysis', 'report'] as const;
export type Step = (typeof steps)[number];

export interface TrialTold {
  readonly done: readonly Step[];
  /** Why it did not come further; null when it did. */
  readonly failure: string | null;
  readonly noRoutes: number | null;
}

export interface ControlTold {
  /** Attempts that were made. */
  readonly attempts: number;
  readonly noRoutes: number | null;
}
