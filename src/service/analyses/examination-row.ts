/** An examination as stored in the database: small columns for every response, and the whole of it for an upgrade. */

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { eq } from 'drizzle-orm';
import type { FileHashes } from '../audit/entry.ts';
import { type Language, resultClasses, resultSubClasses } from '../../contract/vocabulary.ts';
import type { Reader } from '../../ports/db/database.ts';
import { examinations } from '../../ports/db/schema.ts';
import type { CellMaps, Decision, Examination, Examined, MapName } from '../../detectors/result.ts';
import type { Finding } from '../../detectors/detector.ts';
import { noProvenance, type Provenance } from '../../contract/provenance.ts';
import type { ReportTexts } from '../../present/report-item.ts';

/** The contract's numbers behind the two class fields. */
type Scores = Pick<
  Examined,
  'predictions' | 'classUncertainties' | 'classSimilarities' | 'anomaly'
>;

function toScores(examined: Scores): Scores {
  const { predictions, classUncertainties, classSimilarities, anomaly } = examined;
  return { predictions, classUncertainties, classSimilarities, anomaly };
}

/** Keys of the rendered files, and the texts that need no file. */
export interface Rendered {
  readonly heatmapKeys: Readonly<Record<MapName, string>>;
  readonly reports: Readonly<
    Record<Language, { readonly pdfKey: string; readonly texts: ReportTexts }>
  >;
  /** SHA-256 of the files as written, by the last part of their keys; needed because clients can overwrite them. */
  readonly sha256: FileHashes;
}

/** The result of a run; `rendered` is set only for the tier that shows it. */
export interface RunResult {
  readonly examination: Examination;
  readonly examinedAt: Date;
  readonly rendered: Rendered | null;
}

/** The result of rendering a report, which examines everything the report shows. */
export interface Drawn extends RunResult {
  readonly rendered: Rendered;
}

export type ExaminationRow = typeof examinations.$inferInsert;

/** The row of a finished run. */
export function toRow(
  analysisId: string,
  { examination, examinedAt, rendered }: RunResult,
): ExaminationRow {
  const { maps, decision, thumbnail: _t, fingerprint: _f, ...rest } = examination;
  const { values, methods, ...grid } = maps;
  const stored = { ...rest, decision, maps: { ...grid, methods: Object.keys(methods) } };
  return {
    analysisId,
    resultClass: resultClasses.indexOf(decision.resultClass),
    resultSubClasses: decision.resultSubClasses.map((name) => resultSubClasses.indexOf(name)),
    examinedAt,
    scores: JSON.stringify(toScores(examination)),
    rendered: rendered && JSON.stringify(rendered),
    examination: JSON.stringify(stored satisfies StoredExamination),
    realMap: packMap(values.real),
    fakeMap: packMap(values.fake),
    compressionMap: packMap(values.compression),
    anomalyMap: packMap(values.anomaly),
    methodMaps: Buffer.concat(Object.values(methods).map(packMap)),
  };
}

/**
 * The hash of an examination that the audit log stores, which shows whether the row has been changed since: SHA-256 of
 * the text in UTF-8, followed by the maps of real, fake, compression, anomaly and, if present, single methods.
 */
export function examinationSha256(row: ExaminationRow): string {
  const { examination, realMap, fakeMap, compressionMap, anomalyMap, methodMaps } = row;
  const hash = createHash('sha256').update(examination);
  for (const map of [realMap, fakeMap, compressionMap, anomalyMap]) hash.update(map);
  if (methodMaps) hash.update(methodMaps);
  return hash.digest('hex');
}

/** Whether the small columns agree with the examination. The hash does not cover them, although responses use them. */
export function isInAgreement(row: ExaminationRow): boolean {
  const stored: AnyStoredExamination = JSON.parse(row.examination);
  const { decision } = stored;
  const subClasses = row.resultSubClasses.map((number) => resultSubClasses[number]);
  return (
    resultClasses[row.resultClass] === decision.resultClass &&
    isDeepStrictEqual(subClasses, decision.resultSubClasses) &&
    isDeepStrictEqual(parseScores(row.scores), toScores(stored))
  );
}

/** The whole examination as the run left it. */
export function fromRow(row: typeof examinations.$inferSelect) {
  const stored: AnyStoredExamination = JSON.parse(row.examination);
  const values = {
    real: unpackMap(row.realMap),
    fake: unpackMap(row.fakeMap),
    compression: unpackMap(row.compressionMap),
    anomaly: unpackMap(row.anomalyMap),
  };
  const { methods, ...grid } = stored.maps;
  const maps = { ...grid, values, methods: unpackMethods(methods ?? [], row.methodMaps) };
  return { examination: { ...upToDate(stored), maps }, examinedAt: row.examinedAt };
}

function unpackMethods(methods: readonly string[], bytes: Buffer | null): CellMaps['methods'] {
  if (bytes === null) return {};
  const length = bytes.length / methods.length;
  const mapAt = (at: number) => unpackMap(bytes.subarray(at * length, (at + 1) * length));
  return Object.fromEntries(methods.map((method, at) => [method, mapAt(at)]));
}

/** The examination without its maps, which are most of its bytes. */
export async function loadExamined(reader: Reader, analysisId: string): Promise<Examined> {
  const { examination } = examinations;
  const isIts = eq(examinations.analysisId, analysisId);
  const row = await reader.select({ examination }).from(examinations).where(isIts).get();
  if (row === undefined) throw new TypeError('a completed analysis has no examination');
  const stored: AnyStoredExamination = JSON.parse(row.examination);
  return upToDate(stored);
}

/** Adds the members that are missing from examinations of earlier versions. */
function upToDate(stored: AnyStoredExamination): Examined {
  const { stability = null, provenance = neverRead, decision, findings } = stored;
  const { locator = null, manipulation = null, measuredCalls = [], maps: _maps, ...rest } = stored;
  return {
    ...rest,
    stability,
    provenance: { ...noProvenance, ...provenance },
    locator,
    manipulation,
    measuredCalls,
    decision: { ...traceDecision, ...decision },
    findings: findings.map((finding) => ({ ...silent, ...finding })),
  };
}

const neverRead: Provenance = {
  ...noProvenance,
  warnings: [{ code: 'not_read_by_earlier_version', values: {} }],
};
const traceDecision: Partial<Decision> = { basis: 'traces' };
const silent: Partial<Finding> = { speaksFor: 'neither', strength: 'none' };

/** Only this file writes these columns, so their values have the types that were written. */
export function parseScores(text: string): Scores {
  return JSON.parse(text);
}

/** Earlier versions wrote no hashes. */
export function parseRendered(text: string): Rendered {
  return { sha256: {}, ...JSON.parse(text) };
}

export function outputKeys({ heatmapKeys, reports }: Rendered): string[] {
  return [...Object.values(heatmapKeys), ...Object.values(reports).map(({ pdfKey }) => pdfKey)];
}

interface StoredExamination extends Examined {
  /** `methods`: names, in the order of their maps in the column. */
  readonly maps: Omit<CellMaps, 'values' | 'methods'> & { readonly methods: readonly string[] };
}

type Later = 'stability' | 'provenance' | 'locator' | 'manipulation' | 'measuredCalls';
type AnyStoredExamination = Omit<StoredExamination, Later | 'maps'> &
  Partial<Pick<StoredExamination, Later>> & {
    readonly maps: Omit<CellMaps, 'values' | 'methods'> & Partial<StoredExamination['maps']>;
  };

/** Written number by number, so that the bytes do not depend on the machine's byte order. */
function packMap(values: Uint16Array): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (let i = 0; i < values.length; i++) bytes.writeUInt16LE(values[i]!, 2 * i);
  return bytes;
}

function unpackMap(bytes: Buffer): Uint16Array {
  const values = new Uint16Array(bytes.length / 2);
  for (let i = 0; i < values.length; i++) values[i] = bytes.readUInt16LE(2 * i);
  return values;
}
