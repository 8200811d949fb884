/** What a server answers of an analysis: its record in the shape of one that was examined here, and its files. */

import type { Transfer } from '../../client/transfer.ts';
import type { Analysis, AnalysisResult } from '../../../contract/analysis.ts';
import { type Language, resultClasses } from '../../../contract/vocabulary.ts';
import { ForensicsError } from '../../../errors.ts';
import { readPngSize } from '../../../image/png.ts';
import { noProvenance } from '../../../provenance/provenance.ts';
import type { AnalysisRecord, LocalResult } from '../record.ts';
import type { Files } from '../results-folder.ts';

/** What is known of the picture beside the server's answer. */
interface Known {
  readonly file: string;
  readonly sha256: string | null;
  readonly sizeBytes: number | null;
  /** Of the texts of reports. */
  readonly lang: readonly Language[];
}

/**
 * A completed analysis in the shape of one that was examined here.
 *
 * @throws {ForensicsError} `analysis_failed`, `analysis_not_ready`.
 */
export function remoteRecordOf(analysis: Analysis, known: Known): AnalysisRecord {
  const { id, input, inferenceStatus, createdDate } = analysis;
  const result = resultOf(analysis);
  const { processingStartTime: from, processingFinishTime: to } = inferenceStatus;
  const { options, format, width, height } = input;
  const { file, sha256, sizeBytes, lang } = known;
  const { evidence = null } = result;
  return {
    file,
    sha256,
    analysisId: id,
    verdict: verdictOf(result),
    reasons: evidence?.reasons.map(({ code }) => code) ?? [],
    tier: options.tier,
    seed: options.seed,
    options,
    result: plainResultOf(result, lang),
    decision: null,
    evidence: evidence === null ? null : { ...evidence, ...notTold },
    // A server of an earlier version sends less of it.
    provenance: evidence === null ? null : { ...noProvenance, ...evidence.provenance },
    picture: { format, width, height, sizeBytes, notes: null },
    maps: null,
    model: { id: options.model, version: inferenceStatus.version, files: null },
    examinedAt: from ?? createdDate,
    durationMs: from === null || to === null ? 0 : Date.parse(to) - Date.parse(from),
    files: [],
    error: null,
  };
}

const notTold = {
  facts: null,
  measured: null,
  passes: null,
  patchesRead: null,
  environment: null,
};

function resultOf({ id, inferenceStatus }: Analysis): AnalysisResult {
  const { status, statusMessage, result } = inferenceStatus;
  if (status === 'failed') {
    throw new ForensicsError(
      'analysis_failed',
      `The server could not examine it: ${statusMessage}`,
    );
  }
  if (status === 'completed' && result !== undefined) return result;
  throw new ForensicsError(
    'analysis_not_ready',
    `The analysis ${id} is ${status}: ${statusMessage} Ask again later.`,
  );
}

function verdictOf({ resultClass }: AnalysisResult): NonNullable<AnalysisRecord['verdict']> {
  const verdict = resultClasses[resultClass];
  if (verdict !== undefined) return verdict;
  throw new ForensicsError(
    'server_unexpected',
    `The server tells a result class ${resultClass} that this version does not know; update this program.`,
  );
}

/** Without the URLs: they are what the files were fetched from, and expire. */
function plainResultOf(result: AnalysisResult, lang: readonly Language[]): LocalResult {
  const { resultClass, resultSubClasses, report } = result;
  const { predictions, classUncertainties, classSimilarities, anomaly } = result;
  const scores = { predictions, classUncertainties, classSimilarities, anomaly };
  const texts =
    report === null ? null : Object.fromEntries(lang.map((name) => textsOf(report, name)));
  return { resultClass, resultSubClasses, ...scores, heatmaps: null, report: texts };
}

function textsOf(report: NonNullable<AnalysisResult['report']>, language: Language) {
  const { pdfStorageUrls: _address, ...texts } = report[language];
  return [language, texts] as const;
}

interface Wanted {
  readonly name: string;
  readonly getUrl: string;
  readonly check: (bytes: Uint8Array) => void;
}

// A heatmap has 4096 x 4096 pixels at most, a report a few pages with such pictures in it.
const maxBytes = 200_000_000;

/** None for `flagging`. @throws {ForensicsError} `server_unexpected` for what is no such file; as `Transfer.download`. */
export async function downloadFiles(
  { download }: Pick<Transfer, 'download'>,
  analysis: Analysis,
  { lang, signal }: { readonly lang: readonly Language[]; readonly signal: AbortSignal },
): Promise<Files> {
  const wanted = [...heatmapsOf(analysis), ...reportsOf(analysis, lang)];
  return Promise.all(
    wanted.map(async ({ name, getUrl, check }) => {
      const bytes = await download(getUrl, maxBytes, signal);
      check(bytes);
      return [name, bytes] as const;
    }),
  );
}

function heatmapsOf({ inferenceStatus, input }: Analysis): readonly Wanted[] {
  const heatmaps = inferenceStatus.result?.heatmaps ?? null;
  if (heatmaps === null) return [];
  const urls = {
    real: heatmaps.realHeatmapStorageUrls,
    fake: heatmaps.fakeHeatmapStorageUrls,
    compression: heatmaps.compressionHeatmapStorageUrls,
    anomaly: heatmaps.anomalyHeatmapStorageUrls,
  };
  return Object.entries(urls).map(([kind, { getUrl }]) => {
    const name = `heatmap-${kind}.png`;
    return { name, getUrl, check: (bytes) => checkHeatmap(name, bytes, input) };
  });
}

function reportsOf({ inferenceStatus }: Analysis, lang: readonly Language[]): readonly Wanted[] {
  const report = inferenceStatus.result?.report ?? null;
  if (report === null) return [];
  return lang.map((language) => {
    const name = `report-${language}.pdf`;
    const { getUrl } = report[language].pdfStorageUrls;
    return { name, getUrl, check: (bytes) => checkReport(name, bytes) };
  });
}

/** As large as the picture; width and height swap where the EXIF orientation rotates it by a quarter. */
function checkHeatmap(name: string, bytes: Uint8Array, { width, height }: Analysis['input']): void {
  const size = sizeOf(bytes);
  const isAsDeclared = size?.width === width && size.height === height;
  const isTurned = size?.width === height && size.height === width;
  if (!isAsDeclared && !isTurned) throw spoilt(name);
}

function sizeOf(bytes: Uint8Array): ReturnType<typeof readPngSize> | null {
  try {
    return readPngSize(bytes);
  } catch {
    // Not a PNG file: no size to check.
    return null;
  }
}

/** From its first line to its last: a report that was cut off would still open in some viewers. */
function checkReport(name: string, bytes: Uint8Array): void {
  const head = Buffer.from(bytes.subarray(0, 5)).toString('latin1');
  const tail = Buffer.from(bytes.subarray(-32)).toString('latin1');
  if (head !== '%PDF-' || !tail.includes('%%EOF')) throw spoilt(name);
}

function spoilt(name: string): ForensicsError {
  return new ForensicsError(
    'server_unexpected',
    `What the store holds as ${name} is no such file; nothing was written. Ask the operator of the server to look at its storage.`,
  );
}
