/** Examines on this machine. It opens no network and no database. */

import { basename } from 'node:path';
import { modelsFolder } from '../../ports/data-folder/data-folder.ts';
import { readConfig, type Settings } from '../../contract/config.ts';
import { type Language, languages } from '../../contract/vocabulary.ts';
import type { Examination } from '../../engine/result.ts';
import { toForensicsError } from '../../errors.ts';
import type { Signer } from '../../evidence/sign.ts';
import { localLimits } from '../../image/picture.ts';
import { readTrustList } from '../../provenance/c2pa-reader.ts';
import type {
  CustodyEvent,
  OwnValidation,
  ReportItem,
  ReportTexts,
} from '../../present/report-item.ts';
import { writeTexts } from '../../present/report-texts.ts';
import { createSigningKeys, keysInFolder } from '../../evidence/signing-keys.ts';
import type { Pool } from '../../examiner/pool.ts';
import { createSandbox, type Sandbox } from '../../examiner/sandbox.ts';
import type { Rendering } from '../../examiner/tasks.ts';
import { readCaseData } from './case-data.ts';
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

/** @param children - of the sandbox, which closes them. */
export async function prepareLocal(
  options: AnalyzeOptions,
  children: Pool,
): ReturnType<PrepareExaminer> {
  const { trustList: c2paTrustList, validation: cited, dataDir } = options;
  const { settings } = readConfig({ flags: { c2paTrustList, validation: cited, dataDir } });
  const modelsDir = modelsFolder(settings);
  // Whether the model is there and whole is checked by the child that loads it; without it the run ends.
  const caseData = await readCaseData(options);
  const validation = await validationCitedBy(settings, modelsDir, options.model);
  const trustList = settings.c2paTrustList && readTrustList(settings.c2paTrustList);
  const results = options.out === null ? null : await openResultsFolder(options.out, options);
  const bundling = await bundlingFor(options, { dataDir: settings.dataDir, trustList });
  return (run) => {
    const sandbox = createSandbox({ modelsDir, children, trustList });
    const localRun: LocalRun = { ...run, sandbox, results, validation, caseData, bundling };
    return {
      examine: (input, folderName) => examineInput(localRun, input, folderName),
      close: () => sandbox.close(),
    };
  };
}

/** Models are looked up, and the room of validations is loaded, only where reports are to cite one. */
async function validationCitedBy(
  settings: Settings,
  modelsDir: string | null,
  model: string | null,
): Promise<OwnValidation | null> {
  if (settings.validation === null) return null;
  const { citedValidation } = await import('../../service/validation/saved-validations.ts');
  const { createRegistry } = await import('../../inference/registry.ts');
  return citedValidation(settings, createRegistry({ extra: modelsDir }), model);
}

interface LocalRun extends Run {
  readonly sandbox: Sandbox;
  /** Null when nothing is to be written. */
  readonly results: ResultsFolder | null;
  /** What the reports cite beside the model's own error rates. */
  readonly validation: OwnValidation | null;
  readonly caseData: Pick<ReportItem, 'caseData'>;
  /** Null where no bundle is written: for flagging, and without `--out`. */
  readonly bundling: Bundling | null;
}

/** What an evidence bundle needs beside the picture. */
interface Bundling {
  readonly signer: Signer;
  readonly withOriginal: boolean;
  /** That of the sandbox. */
  readonly trustList: string | null;
}

async function bundlingFor(
  { out, tier, withoutOriginal }: AnalyzeOptions,
  { dataDir, trustList }: { readonly dataDir: string; readonly trustList: string | null },
): Promise<Bundling | null> {
  // No key is made where nothing is signed.
  if (out === null || tier !== 'forensicReporting') return null;
  const signer = await createSigningKeys(keysInFolder(dataDir), now).signer();
  return { signer, trustList, withOriginal: !withoutOriginal };
}

const now = () => new Date();

async function examineInput(
  run: LocalRun,
  input: Input,
  folderName: string,
): Promise<AnalysisRecord> {
  const { sandbox, results, options, bundling, signal } = run;
  const { model, decisionStrategy, seed } = options;
  const { examinedAt, head } = beginRecord(input.label, options);
  try {
    await results?.check(folderName);
    // Signing needs the very bytes; otherwise only the child reads the file.
    const original = bundling === null ? null : await readSource(input);
    const source = original ?? (await openSource(input));
    const openedAt = now();
    const forReport = options.tier !== 'flagging';
    const request = { source, options: { model, decisionStrategy, seed }, forReport };
    const examination = await sandbox.examine(request, { signal });
    const times = { receivedAt: examinedAt, openedAt, examinedAt: now() };
    const item = itemOf(run, input, { examination, times });
    const drawn = original && (await draw(run, { source: original, examination, item }));
    const report = reportOf(options, { examination, item }, drawn?.rendering ?? null);
    const record = recordOf(head(), examination, report);
    return results === null
      ? record
      : await keepResults(results, folderName, record, drawn?.files ?? []);
  } catch (error) {
    const failure = toForensicsError(error);
    run.onFailure(input, failure);
    return failedRecordOf(head(), failure);
  }
}

function itemOf(
  { validation, options, caseData }: LocalRun,
  { label, path }: Input,
  { examination, times }: { readonly examination: Examination; readonly times: Times },
): ReportItem {
  return {
    name: path === null ? 'stdin' : basename(label),
    analysisId: null,
    custody: localCustody(examination.facts.sha256, times, caseData.caseData?.examiner),
    retries: 0,
    // When the examination began: the time that every other output of it bears.
    examinedAt: times.receivedAt,
    ...caseData,
    ...(validation === null ? {} : { validation }),
    ...(options.withMetadata ? { withMetadata: true } : {}),
    ...(options.errorLevel ? { withErrorLevel: true } : {}),
  };
}

/** By the clock of this machine. */
interface Times {
  readonly receivedAt: Date;
  readonly openedAt: Date;
  readonly examinedAt: Date;
}

/**
 * What a local run knows of the way of its file: what this program did with it, for the user of the command. What was
 * before is for that person to say.
 *
 * @param sha256 - of the bytes that were examined.
 */
function localCustody(
  sha256: string,
  { receivedAt, openedAt, examinedAt }: Times,
  examiner?: string,
): readonly CustodyEvent[] {
  const actor = examiner === undefined ? 'operator' : `operator ${examiner}`;
  const original = [{ name: 'original', sha256 }];
  return [
    { at: receivedAt, actor, event: 'received', hashes: [] },
    { at: openedAt, actor, event: 'opened', hashes: original },
    { at: examinedAt, actor, event: 'examined', hashes: original },
    // The reports hold it themselves, so it is the time at which writing them began.
    { at: now(), actor, event: 'written', hashes: [] },
  ];
}

interface Examined {
  readonly source: { readonly bytes: Uint8Array; readonly name?: string };
  readonly examination: Examination;
  readonly item: ReportItem;
}

interface Drawn {
  readonly rendering: Rendering;
  readonly files: Files;
}

/** Drawing costs more than examining: it is done only when files are written. The bundle holds all that can be drawn. */
async function draw(
  { sandbox, options, bundling, signal }: LocalRun,
  examined: Examined,
): Promise<Drawn | null> {
  if (bundling === null) return null;
  const { html: withHtml, maps } = options;
  const request = { ...examined, languages, withFullMaps: maps === 'full', withHtml };
  const rendering = await sandbox.render(request, { signal });
  const bundle = await bundleOf(bundling, examined, rendering);
  return { rendering, files: [...filesOf(rendering, options), ['evidence.zip', bundle]] };
}

/** Bundles, and the schemas of what is in them, are loaded only where one is written. */
async function bundleOf(
  { signer, withOriginal, trustList }: Bundling,
  { source, examination, item }: Examined,
  rendering: Rendering,
): Promise<Uint8Array> {
  const { writeBundle } = await import('../../evidence/write-bundle.ts');
  const bundleCase = {
    examination,
    item,
    rendering,
    original: source.bytes,
    openedAs: source.name ?? null,
    heatmapSize: null,
    limits: localLimits,
    trustList,
  };
  return writeBundle(bundleCase, { withOriginal, signer, signedAt: now() }).bytes;
}

function filesOf(
  { heatmaps, rawMaps, fullMaps, reports }: Rendering,
  { maps, lang }: AnalyzeOptions,
): Files {
  return [
    ...Object.entries(heatmaps).map(([name, png]) => [`heatmap-${name}.png`, png] as const),
    ...Object.entries(maps === null ? {} : (fullMaps ?? rawMaps)).map(
      ([name, png]) => [`map-${name}.png`, png] as const,
    ),
    ...lang.flatMap((language) => {
      const report = reports[language];
      if (report === undefined) return [];
      const { pdf, html } = report;
      return [
        [`report-${language}.pdf`, pdf] as const,
        ...(html === undefined ? [] : [[`report-${language}.html`, Buffer.from(html)] as const]),
      ];
    }),
  ];
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
