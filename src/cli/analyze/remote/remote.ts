/** Examines pictures on a server through `/v1`: create, upload, start, wait, fetch. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Analysis, AnalysisResult } from '../../../contract/analysis.ts';
import { type Language, type ResultClass, resultClasses } from '../../../contract/vocabulary.ts';
import { ForensicsError, toForensicsError, serverUnexpected } from '../../../contract/errors.ts';
import { createSandbox, type Sandbox } from '../../../examiner/sandbox.ts';
import { createMutex, type Mutex } from '../../../waiting.ts';
import { noProvenance } from '../../../contract/provenance.ts';
import { openConnection, type Transfer, untilEnded, withFreshUrls } from '../../client/analyses.ts';
import { openServer, requireTenant } from '../../connection/server.ts';
import { type AnalyzeOptions, assertNoOptions } from '../../options.ts';
import { log } from '../../output/terminal.ts';
import type { Input } from '../inputs.ts';
import {
  type AnalysisRecord,
  beginRecord,
  createCopyReader,
  type Examined,
  type Examiner,
  type LocalResult,
  type Run,
  toFailedRecord,
  toOpenRecord,
} from '../record.ts';
import { type Files, keepResults, openResultsFolder } from '../results-folder.ts';
import { openJournal, readPicture, type Submission, submit, type Trail } from './submit.ts';

export async function prepareRemote(run: Run): Promise<Examiner> {
  const options = checkRemoteOptions(run.options);
  const { tenant, tier, wait } = options;
  const folderFor = await openResults(options);
  const connection = await openConnection(await openServer(options), tenant);
  try {
    const journal = openJournal({ origin: connection.origin, tenantName: tenant });
    if (tier === 'forensicReporting' && folderFor !== null) {
      log(
        'The signed evidence.zip is made on the server\'s own machine, with "forensics report"; everything else is fetched.',
      );
    }
    const { transfer } = connection;
    const analyses = connection.analysesFor(run.signal);
    const left = { isOnServer: false, isUnprinted: false };
    const submitted = new Set<string>();
    const state = { journal, left, submitted, mutex: createMutex() };
    const remoteRun: RemoteRun = { ...run, options, folderFor, transfer, analyses, ...state };
    const readCopy = createCopyReader(submitted);
    let sandbox: Sandbox | undefined;
    return {
      pdf: () => (sandbox ??= createSandbox({ poolSize: 1 })),
      examine: (input, folderName) => examineInput(remoteRun, input, folderName),
      compare: ({ record }) => readCopy(record),
      async close() {
        await connection.close();
        await sandbox?.close();
        if (!left.isOnServer && !(left.isUnprinted && run.signal.aborted)) return;
        log(
          wait
            ? 'Run the same command again with --resume to fetch what is still on the server; nothing is billed twice.'
            : 'Fetch each with: forensics report ID --out FOLDER (and the same options for the server)',
        );
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

type RemoteOptions = ReturnType<typeof checkRemoteOptions>;

function checkRemoteOptions(options: AnalyzeOptions) {
  const ofReports = ['trustList', 'validation', 'maps', 'withMetadata', 'errorLevel'] as const;
  const ofBundles = ['html', 'note', 'template', 'withoutOriginal'] as const;
  const why = 'applies to this machine only; leave it out when using a server.';
  assertNoOptions(options, [...ofReports, ...ofBundles], why);
  if (!options.wait) {
    const needsResults = 'needs results, but --no-wait does not wait for them; leave one out.';
    assertNoOptions(options, ['out', 'failOn'], needsResults);
  }
  return { ...options, tenant: requireTenant(options) };
}

/** A resumed run may replace its own result of the same picture; for anything else there, it throws `conflict`. */
async function openResults({ out, force, resume }: RemoteOptions) {
  if (out === null) return null;
  const asGiven = await openResultsFolder(out, { force });
  const replacing = await openResultsFolder(out, { force: true });
  return async (name: string, sha256: string) => {
    const isOwn = resume && (await storedSha256(join(out, name, 'result.json'))) === sha256;
    const folder = isOwn ? replacing : asGiven;
    await folder.check(name);
    return folder;
  };
}

/** SHA-256 of the picture that the existing result is for; null if there is no result. */
async function storedSha256(file: string): Promise<unknown> {
  try {
    return Object(JSON.parse(await readFile(file, 'utf8')))['sha256'];
  } catch {
    // This is not one of our results, so we must not replace it.
    return null;
  }
}

interface RemoteRun extends Run, Submission {
  readonly options: RemoteOptions;
  readonly folderFor: Awaited<ReturnType<typeof openResults>>;
  readonly mutex: Mutex;
  readonly submitted: Set<string>;
  /** Whether analyses are still on the server, and whether results were fetched that only the end of the run prints. */
  readonly left: { isOnServer: boolean; isUnprinted: boolean };
}

async function examineInput(run: RemoteRun, input: Input, folderName: string): Promise<Examined> {
  const { options, analyses, transfer, folderFor, mutex, left, submitted, signal } = run;
  const { wait, lang, jsonl, csv } = options;
  const { head } = beginRecord(input, options);
  const trail: Trail = { analysisId: null };
  let sha256: string | null = null;
  try {
    const picture = await readPicture(input);
    ({ sha256 } = picture);
    const folder = (await folderFor?.(folderName, sha256)) ?? null;
    // If a resumed run contains the same picture twice, the second copy finds the analysis of the first.
    const analysisId = await mutex(sha256, () => submit(run, picture, trail));
    submitted.add(analysisId);
    if (!wait) {
      left.isOnServer = true;
      return { record: { ...toOpenRecord(head()), sha256, analysisId } };
    }
    const ended = await untilEnded(() => analyses.read(analysisId), signal);
    const { label: file, origins = [] } = input;
    const known = { file, origins, sha256, sizeBytes: picture.bytes.length, lang };
    const seenBefore = await analyses.seenBefore(analysisId);
    const record = { ...remoteRecord(ended, known), seenBefore };
    if (folder === null) {
      left.isUnprinted ||= !jsonl && !csv;
      return { record };
    }
    const files = await withFreshUrls(ended, analyses, (analysis) =>
      downloadFiles(transfer, analysis, { lang, signal }),
    );
    return { record: await keepResults(folder, folderName, record, files) };
  } catch (error) {
    const failure = toForensicsError(error);
    const { analysisId } = trail;
    // After these errors, there is nothing more to fetch.
    const isFinal = /^(?:analysis_failed$|trial_image_mismatch$|image_)/.test(failure.code);
    if (analysisId !== null && !isFinal) left.isOnServer = true;
    return { record: { ...toFailedRecord(head(), failure), sha256, analysisId }, failure };
  }
}

// A server's response as a record like that of a picture examined here, and the files of that response.

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
  throw serverUnexpected(
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
