/** The heatmaps and reports of an analysis, fetched and looked at before they are kept. */

import type { Transfer } from '../../../client/transfer.ts';
import type { Analysis, InferenceStatus } from '../../../contract/analysis.ts';
import type { Language } from '../../../contract/vocabulary.ts';
import { ForensicsError } from '../../../errors.ts';
import { readPngSize } from '../../../image/png.ts';
import { type Pace, realPace } from '../../../retry.ts';
import type { Files } from '../results-folder.ts';
import { clocksDiffer } from '../../../client/errors.ts';

interface Wanted {
  readonly name: string;
  readonly getUrl: string;
  readonly check: (bytes: Uint8Array) => void;
}

// A heatmap has 4096 x 4096 pixels at most, a report a few pages with such pictures in it.
const mostBytes = 200_000_000;

/** None for `flagging`. @throws {ForensicsError} `server_unexpected` for what is no such file; as `Transfer.download`. */
export async function downloadFiles(
  { download }: Pick<Transfer, 'download'>,
  analysis: Analysis,
  { lang, signal }: { readonly lang: readonly Language[]; readonly signal: AbortSignal },
): Promise<Files> {
  const wanted = [...heatmapsOf(analysis), ...reportsOf(analysis, lang)];
  return Promise.all(
    wanted.map(async ({ name, getUrl, check }) => {
      const bytes = await download(getUrl, mostBytes, signal);
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

/** As large as the picture; which side is which depends on the turn that its EXIF data demand. */
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
    // No PNG file: the same to whoever wants one of a certain size.
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

/**
 * Presigned URLs may be old, or grow old while a slow line is busy: they are asked for anew, once.
 *
 * @throws {ForensicsError} `store_refused` when new ones are old already; what `act` throws.
 */
export async function withFreshUrls<A extends { readonly id: string }, T>(
  analysis: A,
  analyses: { read(id: string): Promise<A> },
  act: (analysis: A) => Promise<T>,
): Promise<T> {
  try {
    return await act(analysis);
  } catch (error) {
    if (!isExpiry(error)) throw error;
  }
  const fresh = await analyses.read(analysis.id);
  try {
    return await act(fresh);
  } catch (error) {
    throw isExpiry(error) ? clocksDiffer() : error;
  }
}

function isExpiry(error: unknown): boolean {
  return error instanceof ForensicsError && error.code === 'url_expired';
}

const firstPauseMs = 500;
const growth = 1.5;
/**
 * Each picture is asked for by its id, for only that answer holds the evidence. With 64 at once this comes to 400
 * requests a minute; a server allows 3,000.
 */
const longestPauseMs = 10_000;

interface Watched {
  readonly inferenceStatus: Pick<InferenceStatus, 'status'>;
}

/** Reads an analysis until it has ended. @throws what `read` throws; the reason of `signal`. */
export async function untilEnded<T extends Watched>(
  read: () => Promise<T>,
  signal: AbortSignal,
  pace: Pace = realPace,
): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * growth, longestPauseMs)) {
    const analysis = await read();
    const { status } = analysis.inferenceStatus;
    if (status === 'completed' || status === 'failed') return analysis;
    // A quarter more or less by chance: many who began together do not ask together.
    await pace.wait(pauseMs * (0.75 + Math.random() / 2), signal);
  }
}
