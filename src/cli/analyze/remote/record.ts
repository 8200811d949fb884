import type { Analysis, AnalysisResult } from '../../../contract/analysis.ts';
import { type Language, resultClasses } from '../../../contract/vocabulary.ts';
import { ForensicsError } from '../../../errors.ts';
import type { AnalysisRecord, LocalResult } from '../record.ts';

/** What is known of the picture beside the server's answer. */
export interface Known {
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
    picture: { format, width, height, sizeBytes, notes: null },
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
