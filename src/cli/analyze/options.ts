/** What `forensics analyze` was asked for. */

import type { ServerOptions } from '../service-options.ts';
import type { DecisionStrategy, Language, Tier } from '../../contract/vocabulary.ts';

/** In the order in which they decide the exit code. */
export const failOns = ['fake', 'uncertain', 'abstain'] as const;
export type FailOn = (typeof failOns)[number];

export interface AnalyzeOptions extends ServerOptions {
  readonly recursive: boolean;
  readonly tier: Tier;
  readonly decisionStrategy: DecisionStrategy;
  readonly seed: number;
  readonly model: string | null;
  readonly lang: readonly Language[];
  /** Absent without the option: then the setting `c2paTrustList` decides. */
  readonly trustList?: string;
  /** Absent without the option: then the setting of that name decides. */
  readonly validation?: string;
  readonly dataDir?: string;
  readonly out: string | null;
  readonly maps: boolean;
  readonly withMetadata: boolean;
  readonly withoutOriginal: boolean;
  readonly force: boolean;
  readonly json: boolean;
  readonly jsonl: boolean;
  readonly csv: boolean;
  /** File for a report as CI systems read it. */
  readonly junit?: string;
  /** Whether pictures are drawn on the terminal. */
  readonly preview: boolean;
  /** Whether folders are watched for new pictures. */
  readonly watch: boolean;
  /** Of folders that are watched: whether what is there is left out. */
  readonly onlyNew: boolean;
  readonly failOn: readonly FailOn[];
  readonly jobs: number;
  readonly verbose: boolean;
  /** Of a server. */
  readonly tenant?: string;
  /** Whether a run on a server that was broken off goes on. */
  readonly resume: boolean;
  /** False: a server is not waited for. */
  readonly wait: boolean;
}
