/** Examines pictures on this machine, without opening a network connection or a database. */

import { basename, dirname, resolve } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { modelsFolder } from '../../ports/data-folder/data-folder.ts';
import { readConfig, type Settings } from '../../contract/config.ts';
import { type Language, languages } from '../../contract/vocabulary.ts';
import type { Examination } from '../../detectors/result.ts';
import { ForensicsError, toForensicsError, usageError } from '../../contract/errors.ts';
import type { Signer } from '../../evidence/sign.ts';
import { localLimits } from '../../image/picture.ts';
import { readTrustList } from '../../provenance/c2pa-reader.ts';
import type { CaseData, Laboratory, OwnValidation, ReportItem } from '../../present/report-item.ts';
import { writeTexts } from '../../present/report-texts.ts';
import type { Pool } from '../../examiner/pool.ts';
import { createSandbox, type Sandbox } from '../../examiner/sandbox.ts';
import type { AnalyzeOptions, CaseOptions } from '../options.ts';
import { type Input, openSource, readSource } from './inputs.ts';
import {
  beginRecord,
  type Examined,
  type Examiner,
  type Run,
  toFailedRecord,
  toRecord,
} from './record.ts';
import {
  type Files,
  keepResults,
  openResultsFolder,
  type ResultsFolder,
} from './results-folder.ts';
import { jsonOrNull, oneLine, withoutUndefined } from '../../contract/common.ts';
import { readFileUpTo } from '../../ports/files/files.ts';
import type { Rendering } from '../../render/rendering.ts';

/** @param children - the sandbox's processes, which the sandbox closes. */
export async function prepareLocal(run: Run, children: Pool): Promise<Examiner> {
  const { options } = run;
  const { trustList: c2paTrustList, validation: cited, dataDir } = options;
  const { settings } = readConfig({ flags: { c2paTrustList, validation: cited, dataDir } });
  const modelsDir = modelsFolder(settings);
  // The child process that loads the model also checks it.
  const caseData = await readCaseData(options);
  const validation = await validationCitedBy(settings, modelsDir, options.model);
  const trustList = settings.c2paTrustList && readTrustList(settings.c2paTrustList);
  const results = options.out === null ? null : await openResultsFolder(options.out, options);
  const signer = await signerFor(options, settings.dataDir);
  const sandbox = createSandbox({ modelsDir, children, trustList });
  // A single picture has nothing to be compared with.
  const findCopy = run.isBatch ? (await import('./copies.ts')).createCopyFinder() : () => null;
  const localRun: LocalRun = { ...run, sandbox, results, validation, caseData, trustList, signer };
  return {
    pdf: () => sandbox,
    examine: (input, folderName) => examineInput(localRun, input, folderName),
    compare: ({ record, fingerprint }) => {
      const { file, sha256 } = record;
      if (fingerprint === undefined || sha256 === null) return record;
      const copyOf = findCopy({ file, sha256, fingerprint });
      return copyOf === null ? record : { ...record, copyOf };
    },
    close: () => sandbox.close(),
  };
}

/** Loads models and the validation only if a report cites a validation. */
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
  /** Null if nothing is to be written. */
  readonly results: ResultsFolder | null;
  /** Cited by the reports in addition to the model's own error rates. */
  readonly validation: OwnValidation | null;
  readonly caseData: Pick<ReportItem, 'caseData'>;
  readonly trustList: string | null;
  /** Null if no evidence bundle is written: for flagging, or without `--out`. */
  readonly signer: Signer | null;
}

async function signerFor({ out, tier }: AnalyzeOptions, dataDir: string): Promise<Signer | null> {
  // No key is created if nothing is signed.
  if (out === null || tier !== 'forensicReporting') return null;
  const { createSigningKeys, keysInFolder } = await import('../../evidence/sign.ts');
  return createSigningKeys(keysInFolder(dataDir), now).signer();
}

const now = () => new Date();

async function examineInput(run: LocalRun, input: Input, folderName: string): Promise<Examined> {
  const { sandbox, results, options, signer, signal } = run;
  const { model, decisionStrategy, seed, tier, lang } = options;
  const { examinedAt, head } = beginRecord(input, options);
  try {
    await results?.check(folderName);
    // Signing needs exactly these bytes; otherwise only the child process reads the file.
    const original = signer === null ? null : await readSource(input);
    const source = original ?? (await openSource(input));
    const openedAt = now();
    const request = {
      source,
      options: { model, decisionStrategy, seed },
      forReport: tier !== 'flagging',
      withFingerprint: run.isBatch,
    };
    const { fingerprint, ...examination } = await sandbox.examine(request, { signal });
    const times = { receivedAt: examinedAt, openedAt, examinedAt: now() };
    const item = makeItem(run, input, { sha256: examination.facts.sha256, times });
    const drawn = original && (await draw(run, { source: original, examination, item }));
    const textsIn = (language: Language) =>
      drawn?.rendering.reports[language]?.texts ?? writeTexts(examination, item, language);
    const report =
      tier === 'forensicReporting'
        ? Object.fromEntries(lang.map((language) => [language, textsIn(language)]))
        : null;
    const found = toRecord(head(), examination, report);
    const record =
      results === null ? found : await keepResults(results, folderName, found, drawn?.files ?? []);
    return { record, fingerprint };
  } catch (error) {
    const failure = toForensicsError(error);
    return { record: toFailedRecord(head(), failure), failure };
  }
}

/** @param how.times - read from this machine's clock. */
function makeItem(
  { validation, options, caseData }: LocalRun,
  { label, path, content, origins }: Input,
  how: {
    readonly sha256: string;
    readonly times: Readonly<Record<'receivedAt' | 'openedAt' | 'examinedAt', Date>>;
  },
): ReportItem {
  const { receivedAt, openedAt, examinedAt } = how.times;
  // The report names the examiner as reviewer; who ran the program is known only to its operator.
  const actor = 'operator';
  const hashes = [{ name: 'original', sha256: how.sha256 }];
  return {
    name: content?.name ?? (path === null ? 'stdin' : basename(label)),
    analysisId: null,
    // Only what happened within this program; anything before that has to be documented by the user.
    custody: [
      { at: receivedAt, actor, event: 'received', hashes: [] },
      { at: openedAt, actor, event: 'opened', hashes },
      { at: examinedAt, actor, event: 'examined', hashes },
      // The reports contain this time, so it can only be the time at which writing them began.
      { at: now(), actor, event: 'written', hashes: [] },
    ],
    retries: 0,
    // This is the time at which the examination began, as in every other output.
    examinedAt: receivedAt,
    ...caseData,
    ...(origins && { origins }),
    ...(validation && { validation }),
    ...(options.withMetadata && { withMetadata: true }),
    ...(options.errorLevel && { withErrorLevel: true }),
  };
}

interface ToDraw {
  readonly source: { readonly bytes: Uint8Array; readonly name?: string };
  readonly examination: Examination;
  readonly item: ReportItem;
}

/** Rendering takes longer than examining, so it is done only when files are written. */
async function draw({ sandbox, options, signer, trustList, signal }: LocalRun, examined: ToDraw) {
  if (signer === null) return null;
  const { html: withHtml, withoutOriginal } = options;
  const request = { ...examined, languages, withHtml };
  const rendering = await sandbox.render(request, { signal });
  const { writeBundle } = await import('../../evidence/write-bundle.ts');
  const { source, examination, item } = examined;
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
  const how = { withOriginal: !withoutOriginal, signer, signedAt: now() };
  const { bytes } = writeBundle(bundleCase, how);
  const files: Files = [...toFiles(rendering, options), ['evidence.zip', bytes]];
  return { rendering, files };
}

function toFiles({ heatmaps, rawMaps, reports }: Rendering, { maps, lang }: AnalyzeOptions): Files {
  const files = new Map<string, Uint8Array>();
  for (const [name, png] of Object.entries(heatmaps)) files.set(`heatmap-${name}.png`, png);
  const raw = maps ? Object.entries(rawMaps) : [];
  for (const [name, png] of raw) files.set(`map-${name}.png`, png);
  for (const language of lang) {
    const { pdf, html } = reports[language] ?? {};
    if (pdf !== undefined) files.set(`report-${language}.pdf`, pdf);
    if (html !== undefined) files.set(`report-${language}.html`, Buffer.from(html));
  }
  return [...files];
}

// The case data and the laboratory's template, which all its reports share.

/** Returns an empty object if no option was given. @throws {ForensicsError} `usage` for an unusable template. */
export async function readCaseData(options: CaseOptions): Promise<{ caseData?: CaseData }> {
  const { case: caseNumber, exhibit, examiner, note, template } = options;
  const laboratory = template === undefined ? undefined : await readTemplate(template);
  const caseData = withoutUndefined({ caseNumber, exhibit, examiner, note, laboratory });
  return Object.keys(caseData).length === 0 ? {} : { caseData };
}

const text = Type.String({ minLength: 1, maxLength: 600 });
/** A report prints no more. */
const line = Type.String({ minLength: 1, maxLength: 120 });

const templateSchema = Type.Object(
  {
    name: line,
    address: Type.Optional(Type.Array(line, { maxItems: 6 })),
    /** Path of a PNG or JPEG file, relative to the template's folder. */
    logo: Type.Optional(text),
    sentences: Type.Optional(Type.Array(text, { maxItems: 12 })),
  },
  { additionalProperties: false },
);

const maxTemplateBytes = 64 * 1024;
/** The logo is limited in size because it is part of every report and bundle. */
const maxLogoBytes = 256 * 1024;

async function readTemplate(path: string): Promise<Laboratory> {
  const value = jsonOrNull((await readFileOf('--template', path, maxTemplateBytes)).toString());
  if (!Value.Check(templateSchema, value)) {
    throw usageError(
      '--template FILE must contain a JSON object with "name" (at most 120 characters) and, optionally, "address" (at most 6 lines of 120 characters), "sentences" (at most 12, of 600 characters) and "logo" (a path).',
    );
  }
  const { logo, address = [], sentences = [] } = value;
  return {
    name: oneLine(value.name),
    address: address.map(oneLine),
    sentences: sentences.map(oneLine),
    logo: logo === undefined ? null : await readLogo(path, logo),
  };
}

async function readLogo(template: string, logo: string): Promise<string> {
  const path = resolve(dirname(template), logo);
  const bytes = await readFileOf('The "logo" in the --template file', path, maxLogoBytes);
  const isPng = bytes.subarray(0, 4).toString('latin1') === '\u0089PNG';
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8;
  if (!isPng && !isJpeg)
    throw usageError('The "logo" in the --template file must be a PNG or JPEG file.');
  return bytes.toString('base64');
}

/** @param what - named in the error, with the path. @throws {ForensicsError} as `readFileUpTo`. */
async function readFileOf(what: string, path: string, maxBytes: number): Promise<Buffer> {
  try {
    return Buffer.from(await readFileUpTo(path, maxBytes));
  } catch (error) {
    if (!(error instanceof ForensicsError)) throw error;
    throw new ForensicsError(error.code, `${what}, ${path}: ${error.message}`, { cause: error });
  }
}
