/** Creates the analysis of one picture on the server, uploads and starts it, or goes on where an earlier run left it. */

import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { type RemoteAnalyses, withFreshUrls } from '../../client/analyses.ts';
import type { Transfer } from '../../client/transfer.ts';
import type { Analysis, CreateRequest } from '../../../contract/analysis.ts';
import { type ErrorCode, ForensicsError } from '../../../errors.ts';
import { openContainer } from '../../../image/container.ts';
import { localLimits, type Format } from '../../../image/picture.ts';
import { type Input, readSource } from '../inputs.ts';
import type { AnalyzeOptions } from '../options.ts';
import type { Entry, Journal } from './resume.ts';

export interface Submission {
  readonly options: AnalyzeOptions;
  readonly analyses: RemoteAnalyses;
  readonly transfer: Transfer;
  readonly journal: Journal;
  readonly signal: AbortSignal;
}

/** What a picture that goes no further leaves on the server. */
export interface Trail {
  analysisId: string | null;
}

/**
 * A new analysis whose picture could not be uploaded is deleted; when resuming it stays for the next attempt.
 *
 * @returns the id, once the server is to examine the picture or has done so.
 * @throws {ForensicsError} the error of the server or its store.
 */
export async function submit(
  submission: Submission,
  picture: RemotePicture,
  trail: Trail,
): Promise<string> {
  const { journal, options } = submission;
  const { sha256 } = picture;
  const request = requestFor(picture, options);
  if (!options.resume) return make(submission, picture, journal.begin(sha256, request), trail);
  const entry = journal.resume(sha256, request);
  const known = await unless('analysis_not_found', () => find(submission, picture, entry, trail));
  // Deleted by another client.
  return known ?? make(submission, picture, journal.begin(sha256, request), trail);
}

async function find(
  submission: Submission,
  picture: RemotePicture,
  entry: Entry,
  trail: Trail,
): Promise<string> {
  const { analysisId } = entry;
  if (analysisId === null) return make(submission, picture, entry, trail);
  trail.analysisId = analysisId;
  return goOn(submission, picture, await submission.analyses.read(analysisId));
}

function requestFor(
  { name, format, width, height }: RemotePicture,
  { model, decisionStrategy, tier, seed }: AnalyzeOptions,
): CreateRequest {
  const options = { ...(model === null ? {} : { model }), decisionStrategy, tier, seed };
  const input = { format, version: 'v1', width, height, filename: name, options } as const;
  return { name, type: 'image', input };
}

async function make(
  submission: Submission,
  picture: RemotePicture,
  entry: Entry,
  trail: Trail,
): Promise<string> {
  const { analyses, journal, options } = submission;
  const made = await analyses.create(entry.request, entry.idempotencyKey);
  trail.analysisId = made.id;
  journal.note(picture.sha256, { ...entry, analysisId: made.id });
  // Under a key that was used before the server answers with what it has.
  if (options.resume) return goOn(submission, picture, made);
  try {
    await upload(submission, picture, made);
  } catch (error) {
    const isGone = await analyses.remove(made.id).then(
      () => true,
      () => false,
    );
    if (isGone) {
      trail.analysisId = null;
      journal.forget(picture.sha256, entry);
    }
    throw error;
  }
  await analyses.start(made.id);
  return made.id;
}

async function goOn(
  submission: Submission,
  picture: RemotePicture,
  found: Analysis,
): Promise<string> {
  const { analyses } = submission;
  const { id } = found;
  const { status } = found.inferenceStatus;
  if (status === 'failed') {
    // Another process may have been quicker.
    await unless('analysis_not_retryable', () => analyses.retry(id, {}));
  }
  if (status !== 'pending' || (await isStarted(submission, id))) return id;
  await upload(submission, picture, found);
  await unless('analysis_not_pending', () => analyses.start(id));
  return id;
}

/** Of one that is pending: whether it is only queued, or was uploaded and can be started. */
async function isStarted({ analyses }: Submission, id: string): Promise<boolean> {
  try {
    await unless('analysis_not_pending', () => analyses.start(id));
    return true;
  } catch (error) {
    if (error instanceof ForensicsError && error.code === 'upload_missing') return false;
    throw error;
  }
}

function upload(
  { analyses, transfer, signal }: Submission,
  { bytes }: RemotePicture,
  analysis: Analysis,
): Promise<void> {
  return withFreshUrls(analysis, analyses, ({ input }) =>
    transfer.upload(input.storageUrls, bytes, signal),
  );
}

/** Null for the one failure that changes nothing. */
async function unless<T>(code: ErrorCode, act: () => Promise<T>): Promise<T | null> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ForensicsError && error.code === code) return null;
    throw error;
  }
}

/** What the server needs to know of a picture before it is uploaded, and the very bytes that this was read from. */
export interface RemotePicture {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly format: Format;
  readonly width: number;
  readonly height: number;
}

/** Looked at, not decoded: what the server would refuse does not travel. @throws as `readSource` and `openContainer`. */
export async function readPicture(input: Input): Promise<RemotePicture> {
  const { bytes } = await readSource(input);
  const { format, container } = openContainer(bytes, localLimits);
  const { storedWidth: width, storedHeight: height } = container.facts;
  const name = input.path === null ? 'stdin' : basename(input.label);
  return { name, bytes, sha256: hash('sha256', bytes), format, width, height };
}
