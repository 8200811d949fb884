import type { ResultClass } from '../../../contract/vocabulary.ts';

/** What `analyze` prints for a person: card, table and the line below it. */
export const terminal = {
  card: {
    labels: {
      because: 'Because',
      wrong: 'Error rate',
      file: 'File says',
      next: 'Next',
      more: 'Report',
    },
    generated: (p: string) => `P(generated) ${p}`,
    changed: (p: string) => `P(changed) ${p}`,
    /** Between the two limits nothing is decided. */
    open: (from: string, to: string) => ` (open from ${from} to ${to})`,
    more: 'PDF and heatmaps: --tier forensicReporting --out DIR',
    onServer: (id: string) => `analysis ${id}`,
  },
  table: {
    head: { file: 'PICTURE', result: 'RESULT', generated: 'P(GENERATED)', changed: 'P(CHANGED)' },
    reason: 'REASON',
    results: {
      real: 'no sign found',
      fake: 'looks generated',
      changed: 'looks changed',
      declared: 'declared as AI',
      uncertain: 'undecided',
      abstain: 'not judged',
      failed: 'failed',
      started: 'started',
    },
  },
  summary: {
    pictures: (count: number) => `${count} ${count === 1 ? 'picture' : 'pictures'}`,
    counts: {
      real: 'without a sign',
      fake: 'with signs',
      abstain: 'not judged',
      uncertain: 'undecided',
      failed: 'failed',
    } satisfies Readonly<Record<ResultClass | 'failed', string>>,
    results: (dir: string) => `Results in ${dir}, a folder for each picture`,
    stopped: 'Stopped.',
    noneExamined: 'No picture was examined, and nothing was written.',
    rates: { second: 'a second', minute: 'a minute', hour: 'an hour' },
  },
  progress: {
    one: 'Examining',
    examined: (count: number) => `${count} examined`,
    failed: (count: number) => `${count} failed`,
    left: (time: string) => `about ${time} left`,
  },
};
