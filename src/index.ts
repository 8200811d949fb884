/**
 * The library: the same examination as on the command line, in your own program.
 *
 *     import { analyze, renderReport, writeEvidence } from 'forensics';
 *
 *     const { verdict, examination } = await analyze('photo.jpg');
 *     const { strength, findings, notChecked } = writeEvidence(examination);
 *     const { heatmaps, reports } = await renderReport('photo.jpg', examination);
 *
 * Pictures are decoded and examined in child processes; nothing is sent anywhere, and no database is needed.
 */

import { basename } from 'node:path';
import {
  type DecisionStrategy,
  defaultSeed,
  type Language,
  languages,
  type ReasonCode,
  type ResultClass,
  type Tier,
} from './contract/vocabulary.ts';
import { type Examination, type ResultFields, toResultFields } from './detectors/result.ts';
import type { Reproduction } from './evidence/compare.ts';
import { reproduceBundle as reproduceWith, type ReproduceOptions } from './evidence/reproduce.ts';
import { createSandbox, type Sandbox } from './examiner/sandbox.ts';
import type { PictureSource } from './image/picture.ts';
import type { Rendering } from './render/rendering.ts';

export type {
  DecisionBasis,
  DecisionStrategy,
  Language,
  ReasonCode,
  ResultClass,
  ResultSubClass,
  Side,
  Strength,
  Tier,
} from './contract/vocabulary.ts';

export { type ErrorCode, ForensicsError } from './contract/errors.ts';
export type { Finding, Skipped } from './detectors/detector.ts';
export type { Provenance } from './contract/provenance.ts';
export type { PoolStatus } from './examiner/pool.ts';
export { createSandbox } from './examiner/sandbox.ts';
export type { SandboxOptions, Sandbox } from './examiner/sandbox.ts';
export type { ExamineRequest } from './examiner/requests.ts';
export type {
  CellMaps,
  Decision,
  Examination,
  Examined,
  MapName,
  ResultFields,
  Stability,
} from './detectors/result.ts';
export type { ReproduceOptions } from './evidence/reproduce.ts';
export type { Reproduction } from './evidence/compare.ts';
export type { Problem, Verification, VerifyOptions } from './evidence/bundle-format.ts';
export { verifyBundle } from './evidence/verify.ts';
export type { PictureFacts, PictureSource } from './image/picture.ts';
export { writeEvidence } from './present/evidence.ts';
export type { Evidence } from './contract/evidence.ts';
export type { WordedFinding as RankedFinding } from './present/findings.ts';
export type { ReportTexts } from './present/report-item.ts';
export type { Rendering, RenderRequest } from './render/rendering.ts';

export interface AnalyzeOptions {
  /** Model identifier; defaults to the latest image model in the package. */
  readonly model?: string;
  /** Localisation model; defaults to the latest one in the package. */
  readonly locator?: string;
  /** Folder with more models, besides those in the package. */
  readonly modelsDir?: string;
  /** How much evidence a decision needs; `default` if omitted. Never turns real into fake, or vice versa. */
  readonly decisionStrategy?: DecisionStrategy;
  /** Whole number that determines every random choice; defaults to 1337. */
  readonly seed?: number;
  /** Which fields of `result` are filled; defaults to `flagging`. `examination` is always complete. */
  readonly tier?: Tier;
  readonly signal?: AbortSignal;
}

export interface Analyzed {
  readonly verdict: ResultClass;
  /** Why nothing was decided; empty for `real` and `fake`. */
  readonly reasons: readonly ReasonCode[];
  /** The fields that `/v1/analysis` returns, with the numbers of the API. */
  readonly result: ResultFields;
  /** Everything that was found; `renderReport` needs it. */
  readonly examination: Examination;
}

/**
 * Examines one picture. To examine many, open a sandbox once with `createSandbox` and call its
 * `examine`, because a sandbox keeps its child processes.
 *
 * @param picture - path of a picture in any of the formats listed in the manual, or its bytes; 65
 *   to 20,000 pixels on each side, at most 100 megapixels.
 * @throws {ForensicsError} `image_*`, `file_*` for the picture, `model_*` for the model,
 *   `inference_*` for the child process.
 */
export async function analyze(
  picture: string | Uint8Array,
  options: AnalyzeOptions = {},
): Promise<Analyzed> {
  const { model = null, locator = null, modelsDir = null } = options;
  const { decisionStrategy = 'default', seed = defaultSeed } = options;
  const examination = await withSandbox(
    (sandbox) =>
      sandbox.examine(
        { source: sourceOf(picture), options: { model, locator, decisionStrategy, seed } },
        options.signal ? { signal: options.signal } : {},
      ),
    modelsDir,
  );
  const { resultClass, reasons } = examination.decision;
  const result = toResultFields(examination, options.tier ?? 'flagging');
  return { verdict: resultClass, reasons, result, examination };
}

export interface ReportOptions {
  /** Name of the picture in the report; defaults to the file name. */
  readonly name?: string;
  /** When the examination ran; defaults to now. The same time gives the same bytes. */
  readonly examinedAt?: Date;
  /** Defaults to English and German. */
  readonly languages?: readonly Language[];
  readonly signal?: AbortSignal;
}

/**
 * Heatmaps (PNG), report texts and PDFs for a picture that has been examined. Needs no model.
 *
 * @param picture - the picture that was examined.
 * @throws {ForensicsError} as `analyze`.
 */
export async function renderReport(
  picture: string | Uint8Array,
  examination: Examination,
  options: ReportOptions = {},
): Promise<Rendering> {
  const name = options.name ?? (typeof picture === 'string' ? basename(picture) : 'picture');
  const examinedAt = options.examinedAt ?? new Date();
  return withSandbox((sandbox) =>
    sandbox.render(
      {
        source: sourceOf(picture),
        examination,
        item: { name, analysisId: null, examinedAt },
        languages: options.languages ?? languages,
      },
      options.signal ? { signal: options.signal } : {},
    ),
  );
}

/**
 * Repeats the examination in a bundle, and compares every result with the signed one.
 *
 * @param bundle - path of the archive, or its bytes.
 * @throws {ForensicsError} as `analyze`, and as `reproduceBundle` in `evidence/reproduce.ts`.
 */
export async function reproduceBundle(
  bundle: string | Uint8Array,
  options: ReproduceOptions = {},
): Promise<Reproduction> {
  return reproduceWith(createSandbox, bundle, options);
}

function sourceOf(picture: string | Uint8Array): PictureSource {
  return typeof picture === 'string' ? { path: picture } : { bytes: picture };
}

async function withSandbox<T>(
  act: (sandbox: Sandbox) => Promise<T>,
  modelsDir: string | null = null,
): Promise<T> {
  const sandbox = createSandbox({ poolSize: 1, modelsDir });
  try {
    return await act(sandbox);
  } finally {
    await sandbox.close();
  }
}
