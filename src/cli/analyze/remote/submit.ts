/**
 * Creates an analysis, uploads its picture and starts it, or continues where an earlier run stopped. A journal keeps
 * each request and its key, so that the server creates nothing twice, even if the program is killed or runs twice.
 */

import { hash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { type Analysis, createBodyUpTo, type CreateRequest } from '../../../contract/analysis.ts';
import { type Wire, withoutUndefined } from '../../../contract/common.ts';
import { configInvalid, hasCode, nullOn } from '../../../contract/errors.ts';
import { sidesOfEverything } from '../../../contract/limits.ts';
import { formats } from '../../../contract/vocabulary.ts';
import { openContainer } from '../../../image/container.ts';
import { uprightSize } from '../../../image/orientation.ts';
import { defaultLimits, localLimits } from '../../../image/picture.ts';
import { makePrivateFolder, replaceFile, writeOnce } from '../../../ports/files/files.ts';
import { type RemoteAnalyses, type Transfer, withFreshUrls } from '../../client/analyses.ts';
import { type Input, readSource } from '../inputs.ts';
import type { AnalyzeOptions } from '../../options.ts';

export interface Submission {
  readonly options: AnalyzeOptions;
  readonly analyses: RemoteAnalyses;
  readonly transfer: Transfer;
  readonly journal: Journal;
  readonly signal: AbortSignal;
}

/** What a failed picture has left on the server. */
export interface Trail {
  analysisId: string | null;
}

/** What the server needs to know about a picture before the upload, and the bytes from which it was read. */
export type RemotePicture = Awaited<ReturnType<typeof readPicture>>;

/** Reads the header, so that pictures the server would reject are not uploaded. @throws as `readSource`, `openContainer`. */
export async function readPicture(input: Input) {
  const { bytes } = await readSource(input);
  const { format, file } = openContainer(bytes, localLimits);
  const { width, height } = uprightSize(file);
  const unnamed = input.path === null ? 'stdin' : basename(input.label);
  const name = input.content?.name ?? unnamed;
  return { name, bytes, sha256: hash('sha256', bytes), format, width, height };
}

/**
 * Deletes a new analysis whose picture cannot be uploaded; with --resume it stays for the next attempt.
 *
 * @returns the id of an analysis that is queued, running or done.
 * @throws {ForensicsError} the error of the server or its store.
 */
export async function submit(
  submission: Submission,
  picture: RemotePicture,
  trail: Trail,
): Promise<string> {
  const { journal, options, analyses } = submission;
  const { sha256, name, format, width, height } = picture;
  const { model, decisionStrategy, tier, seed, resume } = options;
  const wanted = { ...(model === null ? {} : { model }), decisionStrategy, tier, seed };
  const input = { format, version: 'v1', width, height, filename: name, options: wanted } as const;
  const { case: projectId, exhibit, examiner } = options;
  const caseData = withoutUndefined({ exhibit, examiner });
  const described = { projectId, ...(Object.keys(caseData).length > 0 && { caseData }) };
  const request: CreateRequest = { name, type: 'image', input, ...withoutUndefined(described) };
  const create = (entry: Entry) => createAnalysis(submission, picture, entry, trail);
  if (!resume) return create(journal.begin(sha256, request));

  const entry = journal.resume(sha256, request);
  const { analysisId } = entry;
  const found = await nullOn(['analysis_not_found'], async () => {
    if (analysisId === null) return create(entry);
    trail.analysisId = analysisId;
    return resumeAnalysis(submission, picture, await analyses.read(analysisId));
  });
  // Another client may have deleted it.
  return found ?? create(journal.begin(sha256, request));
}

async function createAnalysis(
  submission: Submission,
  picture: RemotePicture,
  entry: Entry,
  trail: Trail,
): Promise<string> {
  const { analyses, journal, options } = submission;
  const created = await analyses
    .create(entry.request, entry.idempotencyKey)
    .catch((error: unknown) => {
      // The server names a field of its API; this says, in every language, what is wrong with the picture.
      const limits = { ...defaultLimits, maxBytes: localLimits.maxBytes };
      if (hasCode(error, 'invalid_request')) openContainer(picture.bytes, limits);
      throw error;
    });
  const { id } = created;
  trail.analysisId = id;
  journal.note(picture.sha256, { ...entry, analysisId: id });
  // If the key was used before, the server returns the analysis it already has.
  if (options.resume) return resumeAnalysis(submission, picture, created);
  try {
    await upload(submission, picture, created);
  } catch (error) {
    const forget = () => {
      trail.analysisId = null;
      journal.forget(picture.sha256, entry);
    };
    await analyses.remove(id).then(forget, () => undefined);
    throw error;
  }
  await analyses.start(id);
  return id;
}

async function resumeAnalysis(
  submission: Submission,
  picture: RemotePicture,
  found: Analysis,
): Promise<string> {
  const { analyses } = submission;
  const { id } = found;
  const { status } = found.inferenceStatus;
  // In each of these cases, another process may have acted first.
  if (status === 'failed') await nullOn(['analysis_not_retryable'], () => analyses.retry(id));
  if (status !== 'pending') return id;
  const start = () => nullOn(['analysis_not_pending'], () => analyses.start(id));
  // A pending analysis is queued, uploaded, or still without its picture.
  const isStarted = await nullOn(['upload_missing'], async () => {
    await start();
    return true;
  });
  if (isStarted === null) {
    await upload(submission, picture, found);
    await start();
  }
  return id;
}

function upload(submission: Submission, { bytes }: RemotePicture, analysis: Analysis) {
  const { analyses, transfer, signal } = submission;
  return withFreshUrls(analysis, analyses, ({ input }) =>
    transfer.upload(input.storageUrls, bytes, signal),
  );
}

export type Journal = ReturnType<typeof openJournal>;

// The server may accept more than the contract says.
const requestSchema = createBodyUpTo(sidesOfEverything.local, formats);
const entrySchema = Type.Object({
  request: Type.Omit(requestSchema, ['tenantName']),
  idempotencyKey: Type.String(),
  /** Null until the server has sent it. */
  analysisId: Type.Union([Type.String(), Type.Null()]),
});
type Entry = Wire<typeof entrySchema>;

// Nobody resumes a run after three months.
const keptMs = 90 * 24 * 60 * 60 * 1000;

/** @param tenant - the tenant, and the server it is on. @throws {ForensicsError} `config_invalid` if nothing can be stored. */
export function openJournal(
  tenant: { readonly origin: string; readonly tenantName: string },
  { XDG_STATE_HOME: home = '' }: NodeJS.ProcessEnv = process.env,
) {
  // This is state as the XDG specification defines it: worth keeping, but harmless to lose.
  const state = join(home === '' ? join(homedir(), '.local', 'state') : home, 'forensics');
  const folder = join(state, 'uploads', digest([tenant.origin, tenant.tenantName]));
  writing(() => makePrivateFolder(folder));
  removeOld(folder);
  const entryPath = (sha256: string, { input }: CreateRequest) =>
    join(folder, `${digest([sha256, input.options])}.json`);

  const note = (sha256: string, entry: Entry) =>
    writing(() => replaceFile(entryPath(sha256, entry.request), toText(entry)));
  return {
    note,
    /** Replaces any earlier entry for this picture. */
    begin(sha256: string, request: CreateRequest): Entry {
      const entry = newEntry(request);
      note(sha256, entry);
      return entry;
    },
    /** Returns the earlier entry for this picture, otherwise as `begin`. Two concurrent processes get the same entry. */
    resume(sha256: string, request: CreateRequest): Entry {
      const file = entryPath(sha256, request);
      const entry = newEntry(request);
      // If two processes write at the same time, only one succeeds, and both use what it wrote.
      const isNew = readEntry(file) === null && writing(() => writeOnce(file, toText(entry)));
      const found = isNew ? entry : readEntry(file);
      if (found !== null) return found;
      // The file is there, but this version cannot read it.
      note(sha256, entry);
      return entry;
    },
    forget: (sha256: string, { request }: Pick<Entry, 'request'>) =>
      rmSync(entryPath(sha256, request), { force: true }),
  };
}

function newEntry(request: CreateRequest): Entry {
  return { request, idempotencyKey: randomUUID(), analysisId: null };
}

/** Returns null if there is no file, or if this version did not write it. */
function readEntry(file: string): Entry | null {
  try {
    const entry: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Value.Check(entrySchema, entry) ? entry : null;
  } catch {
    // A missing or unreadable file means that there was no earlier run.
    return null;
  }
}

function removeOld(folder: string): void {
  const oldest = Date.now() - keptMs;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found !== undefined && found.mtimeMs < oldest) rmSync(file, { force: true });
  }
}

const toText = (entry: Entry) => `${JSON.stringify(entry)}\n`;
const digest = (values: readonly unknown[]) => hash('sha256', JSON.stringify(values));

function writing<T>(act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw configInvalid(
      'The upload journal cannot be written; set XDG_STATE_HOME to a folder that you can write to.',
      { cause },
    );
  }
}
