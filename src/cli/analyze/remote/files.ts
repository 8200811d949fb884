/** The heatmaps and reports of an analysis, fetched and looked at before they are kept. */

import type { Analysis } from '../../../analyses/analysis.ts';
import type { Transfer } from '../../../client/transfer.ts';
import { ForensicsError } from '../../../errors.ts';
import { readPngSize } from '../../../image/png-structure.ts';
import type { Files } from '../keep-results.ts';
import type { Language } from '../../../contract/vocabulary.ts';

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
