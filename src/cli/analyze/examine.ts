/** One picture from its argument to its record, and to its folder when there is one. Never fails: a failure is a record. */

import { basename } from 'node:path';
import type { Examination } from '../../engine/result.ts';
import { type ForensicsError, toForensicsError } from '../../errors.ts';
import type { Lab, PictureSource, Rendering } from '../../lab/lab.ts';
import type { OwnValidation, ReportItem } from '../../report/item.ts';
import type { Language } from '../../report/language.ts';
import type { ReportTexts } from '../../report/texts.ts';
import { writeTexts } from '../../report/write-texts.ts';
import { type Input, openSource } from './inputs.ts';
import { localCustody } from './local-custody.ts';
import type { AnalyzeOptions } from './options.ts';
import { type AnalysisRecord, type LocalResult, failedRecordOf, recordOf } from './record.ts';
import type { ResultsFolder } from './results-folder.ts';

export interface Bench {
  readonly lab: Lab;
  /** Null when nothing is to be written. */
  readonly results: ResultsFolder | null;
  /** What the reports cite beside the model's own error rates. */
  readonly validation: OwnValidation | null;
  readonly options: AnalyzeOptions;
  readonly signal: AbortSignal;
  onFailure(input: Input, failure: ForensicsError): void;
}

export async function examineInput(
  bench: Bench,
  input: Input,
  folderName: string,
): Promise<AnalysisRecord> {
  const { results, options, validation } = bench;
  const examinedAt = new Date();
  const began = performance.now();
  const told = () => ({
    file: input.label,
    examinedAt,
    durationMs: performance.now() - began,
    options,
  });
  try {
    await results?.check(folderName);
    const source = await openSource(input);
    const examination = await examine(bench, source);
    const custody = localCustody(examination.facts.sha256, examinedAt);
    const named = { name: nameOf(input), analysisId: null, custody, examinedAt };
    const item = validation === null ? named : { ...named, validation };
    const rendering = await render(bench, source, examination, item);
    const report = reportOf(options, examination, item, rendering);
    const record = recordOf(told(), examination, report);
    return results === null ? record : await keep(results, folderName, record, rendering);
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

/** Drawing costs more than looking: it is done only when there is a place for the pictures. */
async function render(
  { lab, options, results, signal }: Bench,
  source: PictureSource,
  examination: Examination,
  item: ReportItem,
): Promise<Rendering | null> {
  const { tier, lang: languages, maps: withRawMaps } = options;
  if (results === null || tier !== 'forensicReporting') return null;
  return lab.render({ source, examination, item, languages, withRawMaps }, { signal });
}

function reportOf(
  { tier, lang }: AnalyzeOptions,
  examination: Examination,
  item: ReportItem,
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

async function keep(
  results: ResultsFolder,
  folderName: string,
  record: AnalysisRecord,
  rendering: Rendering | null,
): Promise<AnalysisRecord> {
  const drawn = filesOf(rendering);
  // Inside the folder the names stand alone, so that it can be moved and still be right.
  const inFolder = { ...record, files: ['result.json', ...drawn.keys()] };
  const text = `${JSON.stringify(inFolder, null, 2)}\n`;
  const files = new Map<string, Uint8Array | string>([['result.json', text], ...drawn]);
  return { ...record, files: await results.write(folderName, files) };
}

function filesOf(rendering: Rendering | null): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  if (rendering === null) return files;
  const { heatmaps, rawMaps, reports } = rendering;
  for (const [name, png] of Object.entries(heatmaps)) files.set(`heatmap-${name}.png`, png);
  for (const [name, png] of Object.entries(rawMaps ?? {})) files.set(`map-${name}.png`, png);
  for (const [language, { pdf }] of Object.entries(reports)) {
    files.set(`report-${language}.pdf`, pdf);
  }
  return files;
}
