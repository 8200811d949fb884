/** An examiner that looks at file names instead of pictures, so that thousands take no time. */

import type { AnalyzeOptions } from '../../src/cli/options.ts';
import {
  type AnalysisRecord,
  type Examiner,
  type Run,
  toFailedRecord,
  toRecord,
} from '../../src/cli/analyze/record.ts';
import { resultClasses } from '../../src/contract/vocabulary.ts';
import type { Examination } from '../../src/detectors/result.ts';
import { type ErrorCode, ForensicsError } from '../../src/contract/errors.ts';
import { makeExamination } from '../unit/present/examination.ts';

const examinedAt = new Date('2026-03-01T12:00:00Z');

/** `fake-1.jpg` is fake, `abstain.png` an abstention; any name without a result class fails with `failsWith`. */
export function prepareFake(failsWith: ErrorCode = 'image_unreadable') {
  return async ({ options }: Run): Promise<Examiner> => ({
    pdf: () => ({
      listPdfParts: async () => Promise.reject(new ForensicsError(failsWith, 'No PDF.')),
      readPdfPart: async () => Promise.reject(new ForensicsError(failsWith, 'No PDF.')),
    }),
    examine: async (input) => {
      const details = { file: input.label, examinedAt, durationMs: 1500, options };
      const found = resultClasses.find((each) => input.label.includes(each));
      if (found !== undefined && input.failure === null) {
        return { record: recordFor(details, found) };
      }
      const failure = input.failure ?? new ForensicsError(failsWith, 'It is "no" <picture>.');
      return { record: toFailedRecord(details, failure), failure };
    },
    close: async () => undefined,
  });
}

function recordFor(
  details: Parameters<typeof toRecord>[0],
  resultClass: (typeof resultClasses)[number],
): AnalysisRecord {
  const reasons = resultClass === 'abstain' ? (['too_small', 'too_compressed'] as const) : [];
  return toRecord(details, makeExamination({ resultClass, reasons }), null);
}

/** The record of an examination of the file `a.jpg`. */
export function recordOf(
  examination: Examination,
  tier: AnalyzeOptions['tier'] = 'flagging',
): AnalysisRecord {
  const run = { file: 'a.jpg', examinedAt, durationMs: 1, options: { tier, seed: 1337 } };
  return toRecord(run, examination, null);
}

export const options: AnalyzeOptions = {
  recursive: false,
  tier: 'flagging',
  decisionStrategy: 'default',
  seed: 1337,
  model: null,
  lang: ['en'],
  out: null,
  maps: false,
  withMetadata: false,
  errorLevel: false,
  html: false,
  withoutOriginal: false,
  force: false,
  json: false,
  jsonl: false,
  csv: false,
  failOn: [],
  jobs: 2,
  verbose: false,
  resume: false,
  wait: true,
};
