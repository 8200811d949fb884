/** Examines on a server, through `/v1`: create, upload, start, wait, fetch. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Connection,
  openConnection,
  untilEnded,
  withFreshUrls,
} from '../../client/analyses.ts';
import { type ErrorCode, toForensicsError } from '../../../errors.ts';
import { createMutex, type Mutex } from '../../../mutex.ts';
import { assertNoOptions } from '../../options.ts';
import { caseOptionsGiven } from '../case-data.ts';
import { log } from '../../output/terminal.ts';
import { openServer, tenantMeant } from '../../connection/server.ts';
import type { Input } from '../inputs.ts';
import type { AnalyzeOptions } from '../options.ts';
import { type AnalysisRecord, beginRecord, failedRecordOf, openRecordOf } from '../record.ts';
import { keepResults, openResultsFolder, type ResultsFolder } from '../results-folder.ts';
import type { Examiner, PrepareExaminer, Run } from '../run.ts';
import { downloadFiles, remoteRecordOf } from './results.ts';
import { createUnfetched, type Journal, openJournal, type Unfetched } from './resume.ts';
import { readPicture, type RemotePicture, type Submission, submit, type Trail } from './submit.ts';

export const prepareRemote: PrepareExaminer = async (given) => {
  const options = remoteOptionsOf(given);
  const folderFor = await openResults(options);
  const connection = await openConnection(await openServer(options), options.tenant);
  const journal = await journalOf(connection, options);
  if (options.tier === 'forensicReporting' && folderFor !== null) log(noBundle);
  return (run) => createRemoteExaminer(connection, run, { options, folderFor, journal });
};

async function journalOf(connection: Connection, { tenant }: RemoteOptions): Promise<Journal> {
  try {
    return openJournal({ origin: connection.origin, tenantName: tenant });
  } catch (error) {
    await connection.close();
    throw error;
  }
}

const noBundle =
  'The signed evidence.zip is made on the machine of the server, by "forensics report"; everything else is fetched.';

/** The options of a run that can be done on a server. */
export type RemoteOptions = AnalyzeOptions & { readonly tenant: string };

/** @throws {ForensicsError} `usage` for what a server decides itself, and for results that are not waited for. */
function remoteOptionsOf(options: AnalyzeOptions): RemoteOptions {
  const { trustList, validation, maps, withMetadata, withoutOriginal, errorLevel, html } = options;
  assertNoOptions(
    {
      '--trust-list': trustList !== undefined,
      '--validation': validation !== undefined,
      '--maps': maps !== null,
      '--with-metadata': withMetadata,
      '--error-level': errorLevel,
      '--html': html,
      ...caseOptionsGiven(options),
      '--without-original': withoutOriginal,
    },
    'applies to this machine only; leave it out with a server.',
  );
  const { wait, out, failOn } = options;
  if (!wait) {
    assertNoOptions(
      { '--out': out !== null, '--fail-on': failOn.length > 0 },
      'needs results, and --no-wait does not wait for them; leave one out.',
    );
  }
  return { ...options, tenant: tenantMeant(options) };
}

/**
 * Where the results of a picture go. A run that goes on may write anew what it had written of the same picture.
 *
 * @throws {ForensicsError} `conflict` when something else is there and may not be replaced.
 */
type FolderFor = (name: string, sha256: string) => Promise<ResultsFolder>;

/** Null when nothing is to be written. @throws {ForensicsError} `output_not_writable`, `no_space_left`. */
async function openResults({ out, force, resume }: RemoteOptions): Promise<FolderFor | null> {
  if (out === null) return null;
  const asAsked = await openResultsFolder(out, { force });
  const replacing = await openResultsFolder(out, { force: true });
  return async (name, sha256) => {
    const isOwn = resume && (await sha256In(join(out, name, 'result.json'))) === sha256;
    const folder = isOwn ? replacing : asAsked;
    await folder.check(name);
    return folder;
  };
}

/** Of the picture that a result there is about; null where there is none. */
async function sha256In(file: string): Promise<unknown> {
  try {
    return Object(JSON.parse(await readFile(file, 'utf8')))['sha256'];
  } catch {
    // Whatever lies there is not ours to replace.
    return null;
  }
}

interface RemoteRun extends Run, Submission {
  readonly options: RemoteOptions;
  /** Null when nothing is to be written. */
  readonly folderFor: FolderFor | null;
  readonly unfetched: Unfetched;
  /** Analyses whose results were fetched but neither written to disk nor yet printed. */
  readonly unseen: Set<string>;
  readonly mutex: Mutex;
}

function createRemoteExaminer(
  connection: Connection,
  run: Run,
  own: Pick<RemoteRun, 'options' | 'folderFor' | 'journal'>,
): Examiner {
  const { options } = own;
  const { transfer } = connection;
  const unfetched = createUnfetched(options);
  const analyses = connection.analysesFor(run.signal);
  const unseen = new Set<string>();
  const mutex = createMutex();
  const remoteRun: RemoteRun = { ...run, ...own, analyses, transfer, unfetched, unseen, mutex };
  return {
    examine: (input, folderName) => examineInput(remoteRun, input, folderName),
    reported: ({ analysisId }) => {
      if (analysisId !== null && isStreamed(options)) unseen.delete(analysisId);
    },
    async close() {
      await connection.close();
      if (run.signal.aborted) unseen.forEach((id) => unfetched.add(id));
      unfetched.log();
    },
  };
}

async function examineInput(
  run: RemoteRun,
  input: Input,
  folderName: string,
): Promise<AnalysisRecord> {
  const { options, folderFor, mutex, unfetched } = run;
  const { head } = beginRecord(input.label, options);
  const trail: Trail = { analysisId: null };
  let sha256: string | null = null;
  try {
    const picture = await readPicture(input);
    ({ sha256 } = picture);
    const folder = (await folderFor?.(folderName, sha256)) ?? null;
    // The same picture twice in one run: when resuming, the second finds what the first one made.
    const analysisId = await mutex(sha256, () => submit(run, picture, trail));
    if (options.wait)
      return await fetchRecord(run, analysisId, { input, picture, folder, folderName });
    unfetched.add(analysisId);
    return { ...openRecordOf(head()), sha256, analysisId };
  } catch (error) {
    const failure = toForensicsError(error);
    const { analysisId } = trail;
    if (analysisId !== null && !isFinal(failure.code)) unfetched.add(analysisId);
    run.onFailure(input, failure);
    return { ...failedRecordOf(head(), failure), sha256, analysisId };
  }
}

interface Subject {
  readonly input: Input;
  readonly picture: RemotePicture;
  /** Null when nothing is to be written. */
  readonly folder: ResultsFolder | null;
  readonly folderName: string;
}

async function fetchRecord(
  { analyses, transfer, options, signal, unseen }: RemoteRun,
  analysisId: string,
  { input, picture, folder, folderName }: Subject,
): Promise<AnalysisRecord> {
  const { lang } = options;
  const ended = await untilEnded(() => analyses.read(analysisId), signal);
  const { sha256, bytes } = picture;
  const record = remoteRecordOf(ended, {
    file: input.label,
    sha256,
    sizeBytes: bytes.length,
    lang,
  });
  if (folder === null) {
    unseen.add(analysisId);
    return record;
  }
  const files = await withFreshUrls(ended, analyses, (analysis) =>
    downloadFiles(transfer, analysis, { lang, signal }),
  );
  return keepResults(folder, folderName, record, files);
}

/** Whether a record is printed at once, and not only at the end of the run. */
function isStreamed({ jsonl, csv }: RemoteOptions): boolean {
  return jsonl || csv;
}

/** There is nothing left to fetch after these. */
function isFinal(code: ErrorCode): boolean {
  return code === 'analysis_failed' || code === 'trial_image_mismatch' || code.startsWith('image_');
}
