/** Examines pictures on a server through `/v1`: create, upload, start, wait, fetch. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toForensicsError } from '../../../errors.ts';
import { createSandbox } from '../../../examiner/sandbox.ts';
import { createMutex, type Mutex } from '../../../turns.ts';
import {
  type Connection,
  openConnection,
  untilEnded,
  withFreshUrls,
} from '../../client/analyses.ts';
import { openServer, requireTenant } from '../../connection/server.ts';
import { type AnalyzeOptions, assertNoOptions } from '../../options.ts';
import { log } from '../../output/terminal.ts';
import { createCopyReader } from '../copies.ts';
import type { Input } from '../inputs.ts';
import {
  type AnalysisRecord,
  beginRecord,
  type Examined,
  type Examiner,
  type Run,
  toFailedRecord,
  toOpenRecord,
} from '../record.ts';
import { keepResults, openResultsFolder, type ResultsFolder } from '../results-folder.ts';
import { downloadFiles, remoteRecord } from './results.ts';
import {
  openJournal,
  readPicture,
  type RemotePicture,
  type Submission,
  submit,
  type Trail,
} from './submit.ts';

export async function prepareRemote(run: Run): Promise<Examiner> {
  const options = checkRemoteOptions(run.options);
  const { tenant, tier } = options;
  const folderFor = await openResults(options);
  const connection = await openConnection(await openServer(options), tenant);
  try {
    const journal = openJournal({ origin: connection.origin, tenantName: tenant });
    if (tier === 'forensicReporting' && folderFor !== null) {
      log(
        'The signed evidence.zip is made on the server\'s own machine, with "forensics report"; everything else is fetched.',
      );
    }
    return createRemoteExaminer(connection, { ...run, options, folderFor, journal });
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

/**
 * Chooses where the results of a picture go. A resumed run may replace its own earlier result of the same picture.
 *
 * @returns null if nothing is to be written; the function throws `conflict` if something else is there.
 */
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

function createRemoteExaminer(
  connection: Connection,
  run: Omit<RemoteRun, 'analyses' | 'transfer' | 'mutex' | 'left' | 'submitted'>,
): Examiner {
  const { transfer } = connection;
  const analyses = connection.analysesFor(run.signal);
  const left = { isOnServer: false, isUnprinted: false };
  const mutex = createMutex();
  const submitted = new Set<string>();
  const readCopy = createCopyReader(submitted);
  const remoteRun: RemoteRun = { ...run, analyses, transfer, mutex, left, submitted };
  // The child process of this sandbox starts with the first PDF.
  const sandbox = createSandbox({ poolSize: 1 });
  return {
    pdf: sandbox,
    examine: (input, folderName) => examineInput(remoteRun, input, folderName),
    compare: ({ record }) => readCopy(record),
    async close() {
      await connection.close();
      await sandbox.close();
      if (!left.isOnServer && !(left.isUnprinted && run.signal.aborted)) return;
      log(
        run.options.wait
          ? 'Run the same command again with --resume to fetch what is still on the server; nothing is billed twice.'
          : 'Fetch each with: forensics report ID --out FOLDER (and the same options for the server)',
      );
    },
  };
}

async function examineInput(run: RemoteRun, input: Input, folderName: string): Promise<Examined> {
  const { options, folderFor, mutex, left, submitted } = run;
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
    if (!options.wait) {
      left.isOnServer = true;
      return { record: { ...toOpenRecord(head()), sha256, analysisId } };
    }
    return { record: await fetchRecord(run, analysisId, { input, picture, folder, folderName }) };
  } catch (error) {
    const failure = toForensicsError(error);
    const { analysisId } = trail;
    // After these errors, there is nothing more to fetch.
    const isFinal = /^(?:analysis_failed$|trial_image_mismatch$|image_)/.test(failure.code);
    if (analysisId !== null && !isFinal) left.isOnServer = true;
    return { record: { ...toFailedRecord(head(), failure), sha256, analysisId }, failure };
  }
}

/** @param of.folder - null if nothing is to be written. */
async function fetchRecord(
  { analyses, transfer, options: { lang, jsonl, csv }, signal, left }: RemoteRun,
  analysisId: string,
  of: { input: Input; picture: RemotePicture; folder: ResultsFolder | null; folderName: string },
): Promise<AnalysisRecord> {
  const { input, picture, folder, folderName } = of;
  const { sha256, bytes } = picture;
  const ended = await untilEnded(() => analyses.read(analysisId), signal);
  const { label: file, origins = [] } = input;
  const known = { file, origins, sha256, sizeBytes: bytes.length, lang };
  const seenBefore = await analyses.seenBefore(analysisId);
  const record = { ...remoteRecord(ended, known), seenBefore };
  if (folder === null) {
    left.isUnprinted ||= !jsonl && !csv;
    return record;
  }
  const files = await withFreshUrls(ended, analyses, (analysis) =>
    downloadFiles(transfer, analysis, { lang, signal }),
  );
  return keepResults(folder, folderName, record, files);
}
