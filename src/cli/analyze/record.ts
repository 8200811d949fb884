/** A picture's record, as in `--json`, `--jsonl` and `result.json`. Values that a server does not return are null. */

import { withoutUndefined } from '../../contract/common.ts';
import type { SeenBefore } from '../../contract/seen-before.ts';
import type { AnalysisOptions } from '../../contract/analysis.ts';
import type { Evidence } from '../../contract/evidence.ts';
import { areaOf, type Region } from '../../detectors/regions.ts';
import type {
  Bilingual,
  Format,
  Language,
  ReasonCode,
  ResultClass,
} from '../../contract/vocabulary.ts';
import {
  type CellMaps,
  type Decision,
  type Examination,
  type ModelIdentity,
  type Place,
  type ResultFields,
  toResultFields,
} from '../../detectors/result.ts';
import type { Sandbox } from '../../examiner/sandbox.ts';
import type { ErrorCode, FailureReason, ForensicsError } from '../../contract/errors.ts';
import type { PictureNote } from '../../image/picture.ts';
import { writeEvidence } from '../../present/evidence.ts';
import { isCopy, wordFacts, wordFinding, wordProvenance } from '../../present/findings.ts';
import {
  type ChangeErrorRates,
  changeRatio,
  decideOutcome,
  type ErrorRates,
  hasGeneratorSize,
  isOfDamage,
  likenessIn,
  placesOf,
  readAnswer,
  readErrors,
  readMarked,
  type Result,
  showsPlaces,
  supportsChange,
  testedFigures,
  toChangesFound,
} from '../../present/result.ts';
import type { Origin, ReportTexts } from '../../present/report-item.ts';
import type { CopyOf } from './copies.ts';
import type { Input, Skipped } from './inputs.ts';
import type { AnalyzeOptions } from '../options.ts';

/** The contract's result without URLs: here, heatmaps and PDFs are listed in the record's `files`. */
export type LocalResult = ResultFields & {
  readonly heatmaps: null;
  readonly report: Readonly<Partial<Record<Language, ReportTexts>>> | null;
};

type Circumstance = 'facts' | 'measured' | 'passes' | 'patchesRead' | 'environment';

type OrNull<T> = { readonly [K in keyof T]: T[K] | null };

export interface AnalysisRecord {
  /** The file as the user gave it, or `-`. */
  readonly file: string;
  /** SHA-256 of the file's bytes, lower-case hex. */
  readonly sha256: string | null;
  /** The analysis on the server; null for a picture examined here. */
  readonly analysisId: string | null;
  readonly verdict: ResultClass | null;
  readonly reasons: readonly ReasonCode[];
  readonly tier: AnalyzeOptions['tier'];
  readonly seed: number;
  readonly options: AnalysisOptions | null;
  readonly result: LocalResult | null;
  readonly decision:
    | (Pick<
        Decision,
        'basis' | 'byTraces' | 'fakeProbability' | 'fakeUncertainty' | 'thresholds'
      > & {
        /** Probability 0..1 that a part of the picture was changed. */
        readonly changeProbability: number | null;
        /** Likelihood ratio of a change; null if not measured, absent from records of earlier versions. */
        readonly changeRatio?: number | null;
        /** The largest region marked as changed, in pixels of the picture after EXIF rotation. */
        readonly changedRegion: Region | null;
        /** Every marked region, numbered from 1 in this order; `changedRegion` is the region of the first. */
        readonly changedPlaces: readonly Place[];
        readonly errorRates: ErrorRates | null;
        readonly changeErrorRates: ChangeErrorRates | null;
        /** Whether every marked region lies where the file is damaged; absent from records of earlier versions. */
        readonly isOfDamage?: boolean;
        /** The finding that the picture does not look like a photograph; absent from records of earlier versions. */
        readonly likeness?: Bilingual | null;
        /** Whether the picture has a size that image generators use; absent from records of earlier versions. */
        readonly hasGeneratorSize?: boolean;
      })
    | null;
  /** The API's `result.evidence`, plus what is needed to repeat the result; null for `flagging`. */
  readonly evidence: (Evidence & OrNull<Pick<Examination, Circumstance>>) | null;
  /** What the file says about its own origin, for every tier; a server sends it only for the forensic tier. */
  readonly provenance: Evidence['provenance'] | null;
  readonly picture: {
    readonly format: Format;
    readonly width: number;
    readonly height: number;
    readonly sizeBytes: number | null;
    readonly notes: readonly PictureNote[] | null;
    /** Fraction of the rows, from the top, that are undamaged; omitted when all are. */
    readonly soundShare?: number;
  } | null;
  /** The grid of the raw maps: the number of cells, each `cellPx` by `cellPx` pixels of the picture after EXIF rotation. */
  readonly maps: Pick<CellMaps, 'cellPx' | 'columns' | 'rows'> | null;
  readonly model: (Omit<ModelIdentity, 'files'> & OrNull<Pick<ModelIdentity, 'files'>>) | null;
  /** When the examination began, ISO 8601; the same time as in the reports. */
  readonly examinedAt: string;
  readonly durationMs: number;
  /** Paths of the files written, relative to the folder of `--out`. */
  readonly files: readonly string[];
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly reason?: FailureReason;
  } | null;
  /** Where the picture came from; empty for a separate file. */
  readonly origins: readonly Origin[];
  /** Why something in a folder or PDF was left out; null for a picture. */
  readonly skipped: Skipped | null;
  /** Other pictures of the tenant, from outside the run; omitted if the picture was not sent to a server. */
  readonly seenBefore?: readonly SeenBefore[];
  /** The earlier picture of the run that this is a copy of; omitted if there is none. */
  readonly copyOf?: CopyOf;
}

interface RecordHead {
  readonly file: string;
  readonly origins?: readonly Origin[];
  readonly examinedAt: Date;
  readonly durationMs: number;
  readonly options: Pick<AnalyzeOptions, 'tier' | 'seed'>;
}

/** Starts timing a picture; `head` returns the fields of its record that describe the run so far. */
export function beginRecord(
  { label: file, origins = [] }: Pick<Input, 'label' | 'origins'>,
  options: RecordHead['options'],
) {
  const examinedAt = new Date();
  const began = performance.now();
  const head = (): RecordHead => {
    return { file, origins, examinedAt, durationMs: performance.now() - began, options };
  };
  return { examinedAt, head };
}

export function toRecord(
  head: RecordHead,
  examination: Examination,
  report: LocalResult['report'],
): AnalysisRecord {
  const { tier, seed } = head.options;
  const { facts, decision, model, options } = examination;
  const { format, width, height, sizeBytes, notes, soundShare } = facts;
  const { cellPx, columns, rows } = examination.maps;
  const { basis, byTraces, fakeProbability, fakeUncertainty, thresholds } = decision;
  const { rates, calls } = readErrors(examination);
  const { measured, passes, patchesRead, environment } = examination;
  const circumstances = { facts: wordFacts(facts), measured, passes, patchesRead, environment };
  return {
    ...toOpenRecord(head),
    sha256: facts.sha256,
    verdict: decision.resultClass,
    reasons: decision.reasons,
    options: { model: model.id, decisionStrategy: options.decisionStrategy, tier, seed },
    result: { ...toResultFields(examination, tier), heatmaps: null, report },
    decision: {
      basis,
      ...(byTraces && { byTraces }),
      fakeProbability,
      fakeUncertainty,
      thresholds,
      changeProbability: examination.manipulation?.probability ?? null,
      changeRatio: changeRatio(examination),
      changedRegion: examination.manipulation?.region ?? null,
      changedPlaces: placesOf(examination.manipulation),
      isOfDamage: isOfDamage(examination),
      errorRates: rates,
      changeErrorRates: calls,
      likeness: likenessIn(examination.findings.map(wordFinding)),
      hasGeneratorSize: hasGeneratorSize(examination.findings),
    },
    evidence:
      tier === 'forensicReporting' ? { ...writeEvidence(examination), ...circumstances } : null,
    provenance: wordProvenance(examination.provenance),
    picture: { format, width, height, sizeBytes, notes, ...withoutUndefined({ soundShare }) },
    maps: { cellPx, columns, rows },
    model,
  };
}

/** The result as codes and values, for `present`; null while there is no verdict. */
export function resultIn(record: AnalysisRecord): Result | null {
  const { verdict, reasons, decision, evidence, provenance, picture } = record;
  if (verdict === null) return null;
  const places = decision?.changedPlaces ?? placesOf(evidence?.manipulation ?? null);
  const areas = picture === null ? [] : places.map(({ region }) => areaOf(region, picture));
  if (decision === null) {
    return readAnswer(verdict, evidence, areas, record.result?.resultSubClasses ?? []);
  }
  const { basis, byTraces, thresholds, errorRates, changeErrorRates } = decision;
  const { fakeProbability: value, fakeUncertainty: deviation, changeProbability } = decision;
  const outcome = decideOutcome(verdict, basis);
  const errors = { rates: errorRates, calls: changeErrorRates };
  const { changeRatio: ratio = null } = decision;
  const isChangeHinted = outcome === 'real' && supportsChange(ratio);
  return {
    outcome,
    reasons,
    likeness: decision.likeness ?? null,
    hasGeneratorSize: decision.hasGeneratorSize === true,
    ...testedFigures(
      { generated: { value, deviation }, changed: changeProbability },
      { byTraces: byTraces?.resultClass ?? verdict, basis },
    ),
    thresholds,
    areas: showsPlaces({ outcome, reasons, isChangeHinted }) ? areas : [],
    marked: readMarked(places),
    provenance,
    errors,
    changesFound: toChangesFound(errors),
    isChangeHinted,
    isOfDamage: decision.isOfDamage === true,
    isChangeNeutral: ratio !== null && !supportsChange(ratio),
    byTraces: byTraces?.resultClass ?? null,
    errorRate: null,
  };
}

/** A record without a verdict: the picture was only handed to a server, or was never finished. */
export function toOpenRecord(head: RecordHead): AnalysisRecord {
  const { file, origins = [], options } = head;
  const { tier, seed } = options;
  return {
    file,
    sha256: null,
    analysisId: null,
    verdict: null,
    reasons: [],
    tier,
    seed,
    options: null,
    result: null,
    decision: null,
    evidence: null,
    provenance: null,
    picture: null,
    maps: null,
    model: null,
    examinedAt: head.examinedAt.toISOString(),
    durationMs: Math.round(head.durationMs),
    files: [],
    error: null,
    origins,
    skipped: null,
  };
}

export function toFailedRecord(
  head: RecordHead,
  { code, message, reason }: ForensicsError,
): AnalysisRecord {
  return { ...toOpenRecord(head), error: { code, message, ...(reason && { reason }) } };
}

export interface Run {
  readonly options: AnalyzeOptions;
  readonly isBatch: boolean;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
}

export interface Examined {
  readonly record: AnalysisRecord;
  /** With its causes, which the record leaves out. */
  readonly failure?: ForensicsError;
  /** See `packFingerprint`; for a picture of a batch that was examined here. */
  readonly fingerprint?: Uint8Array | undefined;
}

/** Examines the pictures of a run, on this machine or on a server. */
export interface Examiner {
  readonly pdf: () => Pick<Sandbox, 'listPdfParts' | 'readPdfPart'>;
  /** Also writes the result folder, if any. Never rejects: a failure gives a record too. */
  examine(input: Input, folderName: string): Promise<Examined>;
  /** Called in order, before the records are reported: identifies the copies among them. */
  compare?(examined: Examined): AnalysisRecord;
  close(): Promise<void>;
}

type FromServer = Pick<AnalysisRecord, 'file' | 'sha256' | 'analysisId' | 'seenBefore'>;

/**
 * Like `createCopyFinder`, for pictures that a server compared: copies within the run are no longer seen before it.
 *
 * @param submitted - ids of all analyses of the run so far.
 */
export function createCopyReader(submitted: ReadonlySet<string>) {
  /** By SHA-256, and by id. */
  const files = new Map<string, string>();
  const laterCopies = new Map<string, CopyOf>();
  const isOfRun = (other: SeenBefore) => isCopy(other) && submitted.has(other.id);
  return <R extends FromServer>(record: R): R & { readonly copyOf?: CopyOf } => {
    const { file, sha256, analysisId, seenBefore } = record;
    if (sha256 === null || analysisId === null || seenBefore === undefined) return record;
    const same = files.get(sha256);
    const earlier = seenBefore.find((other) => isOfRun(other) && files.has(other.id));
    const copyOf =
      same === undefined
        ? ((earlier && toCopy(files.get(earlier.id)!, earlier)) ?? laterCopies.get(analysisId))
        : { file: same, isSameFile: true, isMirrored: false };
    if (same === undefined) files.set(sha256, file).set(analysisId, file);
    for (const other of seenBefore.filter(isOfRun)) {
      if (!laterCopies.has(other.id)) laterCopies.set(other.id, toCopy(file, other));
    }
    const others = seenBefore.filter((other) => !isOfRun(other));
    return { ...record, seenBefore: others, ...(copyOf && { copyOf }) };
  };
}

function toCopy(file: string, { alignment }: SeenBefore): CopyOf {
  return { file, isSameFile: false, isMirrored: alignment?.isMirrored === true };
}
