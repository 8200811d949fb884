/**
 * Repeats the examination in a bundle: verifies the bundle, runs exactly the models and settings recorded in it, and
 * compares every result with the signed one. This needs the picture, from the bundle or from a separate file.
 */

import { languages } from '../contract/vocabulary.ts';
import { retiredMethods } from '../detectors/list.ts';
import {
  type Examination,
  type ExamineOptions,
  identifyModel,
  isSameModel,
  type ModelIdentity,
} from '../detectors/result.ts';
import {
  conflict,
  ForensicsError,
  imageNotAsDeclared,
  modelNotFound,
  usageError,
} from '../contract/errors.ts';
import { readFileUpTo } from '../ports/files/files.ts';
import type { AnyManifest } from '../contract/manifest.ts';
import type { PdfPart } from '../image/pdf.ts';
import { type Limits, localLimits, type PictureSource } from '../image/picture.ts';
import { createRegistry } from '../inference/registry.ts';
import { readTrustList } from '../provenance/c2pa-reader.ts';
import type { Rendering, RenderRequest } from '../render/rendering.ts';
import { wordFacts, wordFinding, wordProvenance, wordSkipped } from '../present/findings.ts';
import {
  fileNames,
  type Manifest,
  parseJson,
  sha256Of,
  type VerifyOptions,
} from './bundle-format.ts';
import {
  compareFields,
  compareFiles,
  type Outcome,
  type Reproduction,
  type Surroundings,
} from './compare.ts';
import {
  type BundleSettings,
  parseCustody,
  parseResult,
  parseSettings,
  readItem,
  type ResultRecord,
} from './records.ts';
import { inspectBundle } from './verify.ts';
import { toResultRecord } from './write-bundle.ts';
import { caseFormat, maxBundleBytes } from '../contract/verification.ts';

/** Opens what the examination is repeated in: the sandbox of the examiner, which is above this module. */
type OpenSandbox = (options: {
  readonly poolSize: number;
  readonly limits: Limits;
  readonly modelsDir: string | null;
  readonly trustList: string | null;
}) => Sandbox;

type Sandbox = Surroundings['sandbox'] & {
  examine(request: {
    readonly source: PictureSource;
    readonly options: ExamineOptions;
    readonly now: Date;
  }): Promise<Examination>;
  render(request: RenderRequest): Promise<Rendering>;
  readPdfPart(request: {
    readonly source: PictureSource;
    readonly part: Pick<PdfPart, 'page' | 'picture'>;
  }): Promise<Uint8Array>;
  close(): Promise<void>;
};

export interface ReproduceOptions extends VerifyOptions {
  /** The picture, if the bundle contains only its hashes. */
  readonly original?: string;
  /** PEM file of trusted signers, for a bundle without its list, which had been replaced before it was written. */
  readonly trustList?: string;
  readonly modelsDir?: string | null;
}

/**
 * @throws {ForensicsError} `bundle_unreadable`, `bundle_changed`; `usage` if picture or trust list is missing;
 *   `model_not_found`; `conflict` for a bundle without a localisation model; `image_not_as_declared`; as an
 *   examination.
 */
export async function reproduceBundle(
  openSandbox: OpenSandbox,
  bundle: string | Uint8Array,
  options: ReproduceOptions = {},
): Promise<Reproduction> {
  const recorded = await openRecorded(bundle, options);
  const { settings, files } = recorded;
  await requireModels(settings, options.modelsDir ?? null);
  const sandbox = openSandbox({
    poolSize: 1,
    limits: { ...localLimits, ...settings.limits },
    modelsDir: options.modelsDir ?? null,
    trustList: findTrustList(files, options),
  });
  try {
    const original = await takePicture(sandbox, recorded);
    return await compareAll(sandbox, recorded, await repeat(sandbox, original, recorded));
  } finally {
    await sandbox.close();
  }
}

type Recorded = Awaited<ReturnType<typeof openRecorded>>;
type Files = ReadonlyMap<string, Uint8Array>;

async function openRecorded(bundle: string | Uint8Array, options: ReproduceOptions) {
  const { verification, files } = await inspectBundle(bundle, options);
  const { holds, manifest, problems } = verification;
  if (manifest?.format === caseFormat) {
    throw usageError(
      'This is a case bundle. Unpack it, and reproduce the bundle of one of its pictures, such as picture-0001.zip.',
    );
  }
  if (!holds || manifest === null) {
    const first = problems[0]?.message ?? '';
    throw changed(`${first} "forensics verify" lists everything.`);
  }
  const settings = parseSettings(files.get(fileNames.settings));
  if (settings === null) throw changed(`${fileNames.settings} is missing from its list of files.`);
  const { format } = manifest;
  const given = await readOriginal(manifest, files, options);
  const { sha256 } = manifest.item;
  if (sha256Of(given) !== sha256 && !pdfPart(settings, given)) throw isAnother();
  return { settings, format, files, given, sha256 };
}

/** The file given may be the picture, or the PDF from which it was taken. */
async function takePicture(
  sandbox: Sandbox,
  { given, sha256, settings }: Recorded,
): Promise<Uint8Array> {
  if (sha256Of(given) === sha256) return given;
  const part = pdfPart(settings, given);
  const taken = part && (await sandbox.readPdfPart({ source: { bytes: given }, part }));
  if (taken && sha256Of(taken) === sha256) return taken;
  throw isAnother();
}

/** Where the picture is in this PDF; undefined if it was not taken from it. */
function pdfPart({ item }: BundleSettings, pdf: Uint8Array) {
  const sha256 = sha256Of(pdf);
  return item.origins
    ?.flatMap((one) => (one.kind === 'pdf' ? one : []))
    .find((one) => one.sha256 === sha256);
}

function isAnother(): ForensicsError {
  return imageNotAsDeclared('This is not the picture that was examined: its SHA-256 differs.');
}

function changed(why: string): ForensicsError {
  return new ForensicsError('bundle_changed', `The bundle failed verification: ${why}`);
}

async function readOriginal(
  { item }: Manifest,
  files: Files,
  { original }: ReproduceOptions,
): Promise<Uint8Array> {
  const inside = item.file === null ? undefined : files.get(item.file);
  if (inside !== undefined) return inside;
  if (original === undefined) {
    throw usageError(
      'The bundle contains only the hashes of its picture; specify the picture with --original.',
    );
  }
  return readFileUpTo(original, maxBundleBytes);
}

/** A different list may trust different signers, and so lead to a different verdict. */
function findTrustList(files: Files, { trustList }: ReproduceOptions): string | null {
  const inside = files.get(fileNames.trustList);
  if (inside !== undefined) return Buffer.from(inside).toString('utf8');
  const recorded = parseResult(files.get(fileNames.result));
  const used = recorded?.examination.provenance.credentials?.trustListSha256 ?? null;
  if (used === null) return null;
  const given = trustList === undefined ? null : readTrustList(trustList);
  if (given !== null && sha256Of(Buffer.from(given)) === used) return given;
  throw usageError(
    `The picture was examined with a list of trusted signers that is not in the bundle (SHA-256 ${used}); specify that list with --trust-list.`,
  );
}

/** Different models would give different results. */
async function requireModels(settings: BundleSettings, modelsDir: string | null): Promise<void> {
  // If the folder of models cannot be read, the error says so.
  const known = await createRegistry({ extra: modelsDir }).listAll();
  for (const wanted of [settings.model, requireLocator(settings)]) {
    const found = known.find(({ id }) => id === wanted.id) ?? null;
    if (found === null || !isSameModel(identifyModel(found), wanted)) {
      throw isMissing(wanted, found, settings);
    }
  }
}

function requireLocator({ locator }: BundleSettings): ModelIdentity {
  if (locator !== undefined) return locator;
  throw conflict(
    'The bundle was made by a version that did not yet look for local changes; repeat the examination with that version, which its settings specify.',
  );
}

function isMissing(
  wanted: ModelIdentity,
  found: AnyManifest | null,
  { environment }: BundleSettings,
): ForensicsError {
  const needed = Object.entries(wanted.files).map(([name, sha256]) => `${name} ${sha256}`);
  const release = environment['forensics'] ?? 'of the version that made it';
  const isSame = found?.version === wanted.version;
  const other = isSame ? 'that version with different files' : `version ${found?.version}`;
  const here = found === null ? 'no model with that name' : other;
  return modelNotFound(
    `The bundle needs the model ${wanted.id} ${wanted.version} with these files: ${needed.join(', ')}. This machine has ${here}: reproduce the bundle with forensics ${release}, which made it and contains that model, or specify a folder that contains the model with --models-dir.`,
  );
}

/** @returns also the environment of this machine. */
async function repeat(sandbox: Sandbox, original: Uint8Array, { settings, files }: Recorded) {
  const { model, decisionStrategy, seed, openedAs, heatmapSize } = settings;
  const source = { bytes: original, ...(openedAs !== null && { name: openedAs }) };
  const locator = requireLocator(settings).id;
  const options = { model: model.id, locator, decisionStrategy, seed };
  const examinedAt = new Date(settings.item.examinedAt);
  const { environment, ...found } = await sandbox.examine({ source, options, now: examinedAt });
  // Reports print the environment: with the recorded one, they differ only if the findings do.
  const examination = { ...found, environment: inOrder(environment, settings.environment) };
  const custody = parseCustody(files.get(fileNames.custody)) ?? [];
  const rendering = await sandbox.render({
    source,
    examination,
    item: readItem(settings, custody),
    languages,
    withHtml: files.has(fileNames.html('en')),
    ...(heatmapSize && { heatmapSize }),
  });
  return { examination, rendering, environment };
}

type Versions = Readonly<Record<string, string>>;

function inOrder(order: Versions, entries: Versions): Versions {
  const known = Object.keys(order).flatMap((name) =>
    Object.hasOwn(entries, name) ? [[name, entries[name]!] as const] : [],
  );
  return { ...Object.fromEntries(known), ...entries };
}

async function compareAll(
  sandbox: Sandbox,
  { settings, format, files }: Recorded,
  { examination, rendering, environment }: Awaited<ReturnType<typeof repeat>>,
): Promise<Reproduction> {
  const record = (name: string) =>
    withoutRetiredMethods(parseJson(files.get(name), { withMaps: true }));
  const texts = Object.fromEntries(
    Object.entries(rendering.reports).map(([language, report]) => [language, report.texts]),
  );
  const recorded = parseResult(files.get(fileNames.result));
  const fields = compareFields(
    { ...Object(record(fileNames.result)), texts: record(fileNames.texts) },
    { ...withSentencesLike(recorded, toResultRecord(examination, settings)), texts },
  );
  const changes = environmentChanges(settings.environment, environment);
  const surroundings: Surroundings = { sandbox, hasDifferentEnvironment: changes.length > 0 };
  const compared = await compareFiles(surroundings, { files, format }, rendering);
  return {
    outcome: decideOutcome({ differences: fields.differences, files: compared }, surroundings),
    verdict: { recorded: recorded?.verdict ?? '', found: examination.decision.resultClass },
    model: { id: examination.model.id, version: examination.model.version },
    valuesCompared: fields.values,
    differences: fields.differences,
    files: compared,
    environment: changes,
  };
}

/** Removes the findings of methods from earlier versions, because this version cannot reproduce them. */
function withoutRetiredMethods(record: unknown): unknown {
  return JSON.parse(JSON.stringify(record ?? null), (_, value: unknown) => {
    if (Array.isArray(value))
      return value.filter((entry) => !retiredMethods.includes(String(Object(entry).method)));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).filter(([name]) => !retiredMethods.includes(name));
    return Object.fromEntries(members);
  });
}

/** Earlier versions stored sentences where there are codes now; then both sides are compared as sentences. */
function withSentencesLike(
  recorded: ResultRecord | null,
  found: ReturnType<typeof toResultRecord>,
): object {
  const { findings = [], facts, provenance } = recorded?.examination ?? {};
  const { statement } = findings[0] ?? {};
  const areWorded = typeof statement === 'object' && statement !== null && 'en' in statement;
  const warnings = [facts?.metadata?.warnings, provenance?.warnings].flatMap((part) => part ?? []);
  if (!areWorded && !warnings.some((warning) => typeof warning === 'string')) return found;
  const { examination } = found;
  const worded = wordProvenance(examination.provenance);
  return {
    ...found,
    examination: {
      ...examination,
      facts: wordFacts(examination.facts),
      provenance: areWorded ? worded : { ...examination.provenance, warnings: worded.warnings },
      ...(areWorded && {
        findings: examination.findings.map(wordFinding),
        skipped: examination.skipped.map((one) => wordSkipped(one, examination.facts)),
      }),
    },
  };
}

/** Wording may differ between program versions, but not within one environment. */
function decideOutcome(
  { differences, files }: Pick<Reproduction, 'differences' | 'files'>,
  { hasDifferentEnvironment }: Surroundings,
): Outcome {
  if (differences.length === 0 && files.every(({ isIdentical }) => isIdentical)) return 'identical';
  const isSame =
    differences.every(
      ({ kind }) => kind === 'rounding' || (kind === 'wording' && hasDifferentEnvironment),
    ) && files.every(({ isTolerated }) => isTolerated);
  return isSame ? 'same-result' : 'different';
}

function environmentChanges(recorded: Versions, found: Versions): Reproduction['environment'] {
  const names = [...new Set([...Object.keys(recorded), ...Object.keys(found)])];
  return names
    .filter((name) => recorded[name] !== found[name])
    .map((name) => ({ name, recorded: recorded[name] ?? null, found: found[name] ?? null }));
}
