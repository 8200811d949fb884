/** One picture from its argument to its record, and to its folder when there is one. Never fails: a failure is a record. */

import { basename } from 'node:path';
import type { Examination } from '../../engine/result.ts';
import { toForensicsError } from '../../errors.ts';
import type { Lab, PictureSource, Rendering } from '../../lab/lab.ts';
import type { OwnValidation, ReportItem } from '../../report/item.ts';
import type { ReportTexts } from '../../report/texts.ts';
import { writeTexts } from '../../report/write-texts.ts';
import { say } from '../talk.ts';
import { type Input, openSource, readSource } from './inputs.ts';
import type { AnalyzeOptions } from './options.ts';
import { bundleOf, type Examined, type Sealing } from './local-bundle.ts';
import { localCustody } from './local-custody.ts';
import type { Run } from './examiner.ts';
import {
  type AnalysisRecord,
  type LocalResult,
  beginRecord,
  failedRecordOf,
  recordOf,
} from './record.ts';
import { type Files, keepResults } from './keep-results.ts';
import type { ResultsFolder } from './results-folder.ts';
import { type Language, languages } from '../../contract/vocabulary.ts';

export interface Bench extends Run {
  readonly lab: Lab;
  /** Null when nothing is to be written. */
  readonly results: ResultsFolder | null;
  /** What the reports cite beside the model's own error rates. */
  readonly validation: OwnValidation | null;
  /** Null when nothing is drawn: for flagging, and when nothing is to be written. */
  readonly sealing: Sealing | null;
}

export async function examineInput(
  bench: Bench,
  input: Input,
  folderName: string,
): Promise<AnalysisRecord> {
  const { results, options, sealing } = bench;
  const { examinedAt, told } = beginRecord(input.label, options);
  try {
    await results?.check(folderName);
    const held = sealing === null ? null : await readSource(input);
    const source = held ?? (await openSource(input));
    const examination = await examine(bench, source);
    await preview(bench, input, { source, examination });
    const item = itemOf(bench, input, { examination, examinedAt });
    const examined = { examination, item };
    const drawn = held && (await draw(bench, { source: held, ...examined }));
    const report = reportOf(options, examined, drawn?.rendering ?? null);
    const record = recordOf(told(), examination, report);
    return results === null
      ? record
      : await keepResults(results, folderName, record, drawn?.files ?? []);
  } catch (error) {
    const failure = toForensicsError(error);
    bench.onFailure(input, failure);
    return failedRecordOf(told(), failure);
  }
}

function nameOf({ label, path }: Input): string {
  return path === null ? 'stdin' : basename(label);
}

function examine({ lab, options, signal }: Bench, source: PictureSource): Promise<Examination> {
  const { model, decisionStrategy, seed } = options;
  return lab.examine({ source, options: { model, decisionStrategy, seed } }, { signal });
}

/** A picture that was examined and cannot be drawn has still been examined. */
async function preview(
  { lab, preview: wanted, signal }: Bench,
  input: Input,
  examined: { readonly source: PictureSource; readonly examination: Examination },
): Promise<void> {
  if (wanted === null) return;
  try {
    const request = { ...examined, map: 'fake', box: wanted.box } as const;
    wanted.take(input, await lab.preview(request, { signal }));
  } catch (error) {
    say(`No preview of ${input.label}: ${toForensicsError(error).message}`);
  }
}

function itemOf(
  { validation, options }: Bench,
  input: Input,
  { examination, examinedAt }: { readonly examination: Examination; readonly examinedAt: Date },
): ReportItem {
  return {
    name: nameOf(input),
    analysisId: null,
    custody: localCustody(examination.facts.sha256, examinedAt),
    retries: 0,
    examinedAt,
    ...(validation === null ? {} : { validation }),
    ...(options.withMetadata ? { withMetadata: true } : {}),
  };
}

interface Drawn {
  readonly rendering: Rendering;
  readonly files: Files;
}

/** Drawing costs more than looking: it is done only when there is a place for it. The bundle holds all that can be drawn. */
async function draw(
  { lab, options, sealing, signal }: Bench,
  examined: Omit<Examined, 'rendering'>,
): Promise<Drawn | null> {
  if (sealing === null) return null;
  const rendering = await lab.render({ ...examined, languages, withRawMaps: true }, { signal });
  const bundle = bundleOf(sealing, { ...examined, rendering });
  return { rendering, files: [...filesOf(rendering, options), ['evidence.zip', bundle]] };
}

function reportOf(
  { tier, lang }: AnalyzeOptions,
  { examination, item }: Pick<Examined, 'examination' | 'item'>,
  rendering: Rendering | null,
): LocalResult['report'] {
  if (tier !== 'forensicReporting') return null;
  const report: Partial<Record<Language, ReportTexts>> = {};
  for (const language of lang) {
    report[language] =
      rendering?.reports[language]?.texts ?? writeTexts(examination, item, language);
  }
  return report;
}

function filesOf({ heatmaps, rawMaps, reports }: Rendering, { maps, lang }: AnalyzeOptions): Files {
  return [
    ...Object.entries(heatmaps).map(([name, png]) => [`heatmap-${name}.png`, png] as const),
    ...Object.entries((maps ? rawMaps : null) ?? {}).map(
      ([name, png]) => [`map-${name}.png`, png] as const,
    ),
    ...lang.flatMap((language) => {
      const report = reports[language];
      return report === undefined ? [] : [[`report-${language}.pdf`, report.pdf] as const];
    }),
  ];
}
