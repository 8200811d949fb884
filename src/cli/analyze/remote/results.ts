/** Turns a server's response into a record like that of a picture examined here, and downloads its files. */

import type { Analysis, AnalysisResult } from '../../../contract/analysis.ts';
import { type Language, type ResultClass, resultClasses } from '../../../contract/vocabulary.ts';
import { ForensicsError } from '../../../errors.ts';
import { noProvenance } from '../../../provenance/provenance.ts';
import type { Transfer } from '../../client/analyses.ts';
import { type AnalysisRecord, type LocalResult, toOpenRecord } from '../record.ts';
import type { Files } from '../results-folder.ts';

/** What is known about the picture besides the server's response, and the languages of the report texts. */
interface Known extends Pick<AnalysisRecord, 'file' | 'sha256'> {
  readonly origins?: AnalysisRecord['origins'];
  readonly sizeBytes: number | null;
  readonly lang: readonly Language[];
}

/** @throws {ForensicsError} `analysis_failed`, `analysis_not_ready`. */
export function remoteRecord(
  analysis: Analysis,
  { file, origins = [], sha256, sizeBytes, lang }: Known,
): AnalysisRecord {
  const { id, input, inferenceStatus, createdDate } = analysis;
  const { options, format, width, height } = input;
  const { processingStartTime: from, processingFinishTime: to, version } = inferenceStatus;
  const result = completedResult(analysis);
  const { evidence = null } = result;
  const notSent = {
    facts: null,
    measured: null,
    passes: null,
    patchesRead: null,
    environment: null,
  };
  const head = {
    file,
    origins,
    examinedAt: new Date(from ?? createdDate),
    durationMs: from === null || to === null ? 0 : Date.parse(to) - Date.parse(from),
    options,
  };
  return {
    ...toOpenRecord(head),
    sha256,
    analysisId: id,
    verdict: readVerdict(result),
    reasons: evidence?.reasons.map(({ code }) => code) ?? [],
    options,
    result: withoutUrls(result, lang),
    evidence: evidence === null ? null : { ...evidence, ...notSent },
    // An older server omits some of its fields.
    provenance: evidence === null ? null : { ...noProvenance, ...evidence.provenance },
    picture: { format, width, height, sizeBytes, notes: null },
    model: { id: options.model, version, files: null },
  };
}

function completedResult({ id, inferenceStatus }: Analysis): AnalysisResult {
  const { status, statusMessage, failure: reason = null, result } = inferenceStatus;
  if (status === 'completed' && result !== undefined) return result;
  if (status === 'failed') {
    const message = `The server could not examine it: ${statusMessage}`;
    throw new ForensicsError('analysis_failed', message, { reason });
  }
  const message = `The analysis ${id} is ${status}: ${statusMessage} Try again later.`;
  throw new ForensicsError('analysis_not_ready', message);
}

function readVerdict({ resultClass }: AnalysisResult): ResultClass {
  const verdict = resultClasses[resultClass];
  if (verdict !== undefined) return verdict;
  throw new ForensicsError(
    'server_unexpected',
    `The server sent a result class ${resultClass} that this version does not know; update this program.`,
  );
}

/** URLs are dropped because they expire, and their files have been downloaded. */
function withoutUrls(result: AnalysisResult, lang: readonly Language[]): LocalResult {
  const { resultClass, resultSubClasses, report } = result;
  const { predictions, classUncertainties, classSimilarities, anomaly } = result;
  const scores = { predictions, classUncertainties, classSimilarities, anomaly };
  const texts =
    report &&
    Object.fromEntries(
      lang.map((language) => {
        const { pdfStorageUrls: _urls, ...inLanguage } = report[language];
        return [language, inLanguage];
      }),
    );
  return { resultClass, resultSubClasses, ...scores, heatmaps: null, report: texts };
}

// A heatmap has at most 4096 x 4096 pixels; a report has a few pages that contain such pictures.
const maxBytes = 200_000_000;

/** Downloads heatmaps and reports; none for `flagging`. @throws as `Transfer.download`. */
export async function downloadFiles(
  { download }: Pick<Transfer, 'download'>,
  { inferenceStatus: { result } }: Analysis,
  { lang, signal }: { readonly lang: readonly Language[]; readonly signal: AbortSignal },
): Promise<Files> {
  const { heatmaps = null, report = null } = result ?? {};
  const kinds = heatmaps === null ? [] : (['real', 'fake', 'compression', 'anomaly'] as const);
  const languages = report === null ? [] : lang;
  const wanted = [
    ...kinds.map(
      (kind) => [`heatmap-${kind}.png`, heatmaps![`${kind}HeatmapStorageUrls`]] as const,
    ),
    ...languages.map((in_) => [`report-${in_}.pdf`, report![in_].pdfStorageUrls] as const),
  ];
  return Promise.all(
    wanted.map(
      async ([name, { getUrl }]) => [name, await download(getUrl, maxBytes, signal)] as const,
    ),
  );
}
