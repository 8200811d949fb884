/** Examines on a server, through `/v1`: create, upload, start, wait, fetch. */

import { type ErrorCode, toForensicsError } from '../../../errors.ts';
import { createMutex, type Mutex } from '../../../mutex.ts';
import { say } from '../../output/print.ts';
import type { Input } from '../inputs.ts';
import { type AnalysisRecord, beginRecord, failedRecordOf, openRecordOf } from '../record.ts';
import { keepResults, type ResultsFolder } from '../results-folder.ts';
import type { Examiner, PrepareExaminer, Run } from '../run.ts';
import { type Connection, openConnection } from './analyses.ts';
import { downloadFiles, untilEnded, withFreshUrls } from './download.ts';
import { openPlaces, type PlaceFor, type RemoteOptions, remoteOptionsOf } from './options.ts';
import { remoteRecordOf } from './record.ts';
import { createLoose, type Journal, type Loose, openJournal } from './resume.ts';
import { deliver, type Desk, readPicture, type RemotePicture, type Trail } from './upload.ts';

export const prepareRemote: PrepareExaminer = async (given) => {
  const options = remoteOptionsOf(given);
  const placeFor = await openPlaces(options);
  const connection = await openConnection(options);
  const journal = await journalOf(connection, options);
  if (options.tier === 'forensicReporting' && placeFor !== null) say(noBundle);
  return (run) => createRemoteExaminer(connection, run, { options, placeFor, journal });
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

interface Bench extends Desk, Run {
  readonly options: RemoteOptions;
  /** Null when nothing is to be written. */
  readonly placeFor: PlaceFor | null;
  readonly loose: Loose;
  /** Analyses whose results were fetched, and are not on the disk nor, for all that is known, on the screen. */
  readonly unseen: Set<string>;
  readonly mutex: Mutex;
}

function createRemoteExaminer(
  connection: Connection,
  run: Run,
  own: Pick<Bench, 'options' | 'placeFor' | 'journal'>,
): Examiner {
  const { options } = own;
  const { transfer } = connection;
  const loose = createLoose(options);
  const analyses = connection.analysesFor(run.signal);
  const unseen = new Set<string>();
  const mutex = createMutex();
  const bench: Bench = { ...run, ...own, analyses, transfer, loose, unseen, mutex };
  return {
    examine: (input, folderName) => examineInput(bench, input, folderName),
    reported: ({ analysisId }) => {
      if (analysisId !== null && isStreamed(options)) unseen.delete(analysisId);
    },
    async close() {
      await connection.close();
      if (run.signal.aborted) unseen.forEach((id) => loose.add(id));
      loose.tell();
    },
  };
}

async function examineInput(
  bench: Bench,
  input: Input,
  folderName: string,
): Promise<AnalysisRecord> {
  const { options, placeFor, mutex, loose } = bench;
  const { told } = beginRecord(input.label, options);
  const trail: Trail = { analysisId: null };
  let sha256: string | null = null;
  try {
    const picture = await readPicture(input);
    ({ sha256 } = picture);
    const folder = (await placeFor?.(folderName, sha256)) ?? null;
    // The same picture twice in one run: when resuming, the second finds what the first one made.
    const analysisId = await mutex(sha256, () => deliver(bench, picture, trail));
    if (options.wait)
      return await fetchRecord(bench, analysisId, { input, picture, folder, folderName });
    loose.add(analysisId);
    return { ...openRecordOf(told()), sha256, analysisId };
  } catch (error) {
    const failure = toForensicsError(error);
    const { analysisId } = trail;
    if (analysisId !== null && !isVerdictOfServer(failure.code)) loose.add(analysisId);
    bench.onFailure(input, failure);
    return { ...failedRecordOf(told(), failure), sha256, analysisId };
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
  { analyses, transfer, options, signal, unseen }: Bench,
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

/** Whether what was told is out at once, and not only at the end of the run. */
function isStreamed({ jsonl, csv }: RemoteOptions): boolean {
  return jsonl || csv;
}

/** Nothing is left to be fetched of these. */
function isVerdictOfServer(code: ErrorCode): boolean {
  return code === 'analysis_failed' || code === 'trial_image_mismatch' || code.startsWith('image_');
}
