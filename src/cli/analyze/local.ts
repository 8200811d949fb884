/** Examines on this machine. It opens no network and no database. */

import { basename } from 'node:path';
import { modelsFolder } from '../../data-folder/data-folder.ts';
import { createSigningKeys } from '../../secrets/signing-keys.ts';
import { citedValidation } from '../../validation/saved-validations.ts';
import { readConfig } from '../../config/config.ts';
import { type Language, languages } from '../../contract/vocabulary.ts';
import type { Examination } from '../../engine/result.ts';
import { toForensicsError } from '../../errors.ts';
import type { Signer } from '../../evidence/sign.ts';
import { writeBundle } from '../../evidence/write-bundle.ts';
import { defaultLimits } from '../../image/picture.ts';
import { createRegistry } from '../../inference/registry.ts';
import { readTrustList } from '../../provenance/c2pa-reader.ts';
import type {
  CustodyEvent,
  OwnValidation,
  ReportItem,
  ReportTexts,
} from '../../report/report-item.ts';
import { writeTexts } from '../../report/texts.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import type { PictureSource, Rendering } from '../../sandbox/tasks.ts';
import { type Input, openSource, readSource } from './inputs.ts';
import type { AnalyzeOptions } from './options.ts';
import {
  type AnalysisRecord,
  beginRecord,
  failedRecordOf,
  type LocalResult,
  recordOf,
} from './record.ts';
import {
  type Files,
  keepResults,
  openResultsFolder,
  type ResultsFolder,
} from './results-folder.ts';
import type { PrepareExaminer, Run } from './run.ts';

export const prepareLocal: PrepareExaminer = async (options) => {
  const { trustList: c2paTrustList, validation: cited, dataDir } = options;
  const { settings } = readConfig({ flags: { c2paTrustList, validation: cited, dataDir } });
  const modelsDir = modelsFolder(settings);
  // Asked once here, a missing or damaged model is one line and not one for each picture.
  const registry = createRegistry({ extra: modelsDir });
  await registry.open(options.model);
  await registry.openLocator();
  const validation = await citedValidation(settings, registry, options.model);
  const trustList = readTrustList(settings.c2paTrustList);
  const results = options.out === null ? null : await openResultsFolder(options.out, options);
  const sealing = sealingFor(options, { dataDir: settings.dataDir, trustList });
  return (run) => {
    const sandbox = createSandbox({ modelsDir, poolSize: options.jobs, trustList });
    const bench = { ...run, sandbox, results, validation, sealing };
    return {
      examine: (input, folderName) => examineInput(bench, input, folderName),
      close: () => sandbox.close(),
    };
  };
};

const currentTime = () => new Date();

/** Null where no bundle is written: then no key is made either. */
function sealingFor(
  { out, tier, withoutOriginal }: AnalyzeOptions,
  { dataDir, trustList }: { readonly dataDir: string; readonly trustList: string | null },
): Sealing | null {
  if (out === null || tier !== 'forensicReporting') return null;
  const signer = createSigningKeys({ dataDir, now: currentTime }).signer();
  return { signer, trustList, now: currentTime, withOriginal: !withoutOriginal };
}

// One picture from its argument to its record, and to its folder when there is one. Never fails: a failure is a record.

export interface Bench extends Run {
  readonly sandbox: Sandbox;
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

function examine({ sandbox, options, signal }: Bench, source: PictureSource): Promise<Examination> {
  const { model, decisionStrategy, seed } = options;
  return sandbox.examine({ source, options: { model, decisionStrategy, seed } }, { signal });
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
  { sandbox, options, sealing, signal }: Bench,
  examined: Omit<Examined, 'rendering'>,
): Promise<Drawn | null> {
  if (sealing === null) return null;
  const rendering = await sandbox.render({ ...examined, languages, withRawMaps: true }, { signal });
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

// The evidence bundle of a picture that was examined here.

export interface Sealing {
  readonly signer: Signer;
  readonly now: () => Date;
  readonly withOriginal: boolean;
  /** That of the run's sandbox. */
  readonly trustList: string | null;
}

export interface Examined {
  readonly source: { readonly bytes: Uint8Array; readonly name?: string };
  readonly examination: Examination;
  readonly item: ReportItem;
  /** In every language, with raw maps. */
  readonly rendering: Rendering;
}

export function bundleOf(
  { signer, now, withOriginal, trustList }: Sealing,
  { source, ...examined }: Examined,
): Uint8Array {
  const given = {
    ...examined,
    original: source.bytes,
    openedAs: source.name ?? null,
    heatmapSize: null,
    limits: defaultLimits,
    trustList,
  };
  return writeBundle(given, { withOriginal, signer, signedAt: now() }).bytes;
}

/**
 * What a local run knows of the way of its file: that it was read and examined, by whoever typed the command. What was
 * before is for that person to say.
 *
 * @param sha256 - of the bytes that were examined.
 */
export function localCustody(sha256: string, examinedAt: Date): readonly CustodyEvent[] {
  const step = { at: examinedAt, actor: 'operator', hashes: [{ name: 'original', sha256 }] };
  return [
    { ...step, event: 'received' },
    { ...step, event: 'examined' },
  ];
}
