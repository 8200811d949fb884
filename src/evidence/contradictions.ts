/**
 * Checks whether the parts of a bundle belong together. All of them are signed, but a signer can combine parts that do
 * not match: a report on a different picture, heatmaps of another size, or a verdict that contradicts the result.
 */

import { languages } from '../contract/vocabulary.ts';
import { mapNames } from '../detectors/result.ts';
import {
  canonicalBytes,
  digestsOf,
  fileNames,
  type Manifest,
  type Problem,
} from './bundle-format.ts';
import {
  type BundleSettings,
  parseCustody,
  parseResult,
  parseSettings,
  type ResultRecord,
} from './records.ts';
import { firstBundleFormat } from '../contract/verification.ts';

/** Reads the unchanged files by name; changed and missing ones have already been reported. */
export interface Files {
  get(name: string): Promise<Uint8Array | undefined>;
}

export async function findContradictions(manifest: Manifest, files: Files) {
  const unlisted = findUnlisted(manifest);
  const resultBytes = await files.get(fileNames.result);
  const settingsBytes = await files.get(fileNames.settings);
  if (resultBytes === undefined || settingsBytes === undefined) return unlisted;
  const result = parseResult(resultBytes);
  const settings = parseSettings(settingsBytes);
  if (result === null)
    return [contradiction(fileNames.result, `${fileNames.result} contains no result.`)];
  if (settings === null)
    return [contradiction(fileNames.settings, `${fileNames.settings} contains no settings.`)];
  return [
    ...unlisted,
    ...checkItem(manifest, result),
    ...checkSettings(settings, { manifest, result }),
    ...(await checkCustody(manifest, files)),
    ...(await checkOriginal(manifest, files)),
    ...(await checkPictures(manifest, result, files)),
    ...(await checkReports(manifest, files)),
  ];
}

/** Files required in every bundle. */
const needed = [
  fileNames.result,
  fileNames.settings,
  fileNames.custody,
  fileNames.texts,
  fileNames.model,
  ...languages.map(fileNames.report),
  ...mapNames.flatMap((name) => [fileNames.heatmap(name), fileNames.map(name)]),
];

function findUnlisted({ files, item }: Manifest): readonly Problem[] {
  const listed = new Set(files.map(({ name }) => name));
  return [...needed, ...(item.file === null ? [] : [item.file])]
    .filter((name) => !listed.has(name))
    .map((file) => ({ kind: 'missing', file, message: `${file} was never in this bundle.` }));
}

function checkItem({ item }: Manifest, { verdict, examination }: ResultRecord): readonly Problem[] {
  const { facts, decision } = examination;
  return [
    ...unless(
      isSamePicture(facts, item),
      fileNames.result,
      'The result is about a different picture from the one in the list of files.',
    ),
    ...unless(
      verdict === decision.resultClass,
      fileNames.result,
      'The verdict at the top of the result is not the one that was reached.',
    ),
  ];
}

function checkSettings(
  settings: BundleSettings,
  { manifest, result }: { readonly manifest: Manifest; readonly result: ResultRecord },
): readonly Problem[] {
  const { model, locator = null, environment, options, passes } = result.examination;
  const isSame =
    isEqual(settings.model, model) &&
    isEqual(settings.locator ?? null, locator) &&
    isEqual(settings.environment, environment) &&
    settings.decisionStrategy === options.decisionStrategy &&
    settings.seed === options.seed &&
    settings.passes === passes &&
    settings.item.name === manifest.item.name &&
    settings.item.examinedAt === manifest.examinedAt;
  return unless(isSame, fileNames.settings, 'The settings belong to a different examination.');
}

async function checkCustody({ item }: Manifest, files: Files): Promise<readonly Problem[]> {
  const bytes = await files.get(fileNames.custody);
  if (bytes === undefined) return [];
  const events = parseCustody(bytes);
  if (events === null)
    return [contradiction(fileNames.custody, `${fileNames.custody} contains no record.`)];
  const isSame = events
    .flatMap(({ hashes }) => hashes)
    .every(({ name, sha256 }) => name !== 'original' || sha256 === item.sha256);
  return unless(isSame, fileNames.custody, 'The chain of custody belongs to a different picture.');
}

async function checkOriginal({ item }: Manifest, files: Files): Promise<readonly Problem[]> {
  const bytes = item.file === null ? undefined : await files.get(item.file);
  if (bytes === undefined || item.file === null) return [];
  const isSame = isSamePicture(digestsOf(bytes), item);
  return unless(isSame, item.file, `${item.file} is not the picture that was examined.`);
}

function isSamePicture(facts: ReturnType<typeof digestsOf>, item: Manifest['item']): boolean {
  const { sizeBytes, sha256, sha512, md5 } = facts;
  return isEqual({ ...item, sizeBytes, sha256, sha512, md5 }, item);
}

/** A heatmap has the size of the picture, upright or as stored; a raw map has one pixel per cell. */
async function checkPictures(
  { format }: Manifest,
  { examination: { facts, maps } }: ResultRecord,
  files: Files,
): Promise<readonly Problem[]> {
  const { width, height, storedWidth, storedHeight } = facts;
  const picture = [`${width} x ${height}`, `${storedWidth} x ${storedHeight}`];
  const grid = format === firstBundleFormat ? picture : [`${maps.columns} x ${maps.rows}`];
  const checkFile = async (name: string, sizes: readonly string[], of: string) => {
    const bytes = await files.get(name);
    if (bytes === undefined) return [];
    const size = pngSize(bytes);
    const isValid = size !== null && sizes.includes(size);
    return unless(isValid, name, `${name} is not a PNG file of ${of}.`);
  };
  const problems: Problem[] = [];
  for (const name of mapNames) {
    problems.push(...(await checkFile(fileNames.heatmap(name), picture, "the picture's size")));
    problems.push(...(await checkFile(fileNames.map(name), grid, 'the size of the maps')));
  }
  return problems;
}

/** Each report contains its picture's SHA-256 as plain text: a PDF in its metadata, HTML in its footer. */
export async function checkReports({ item }: Pick<Manifest, 'item'>, files: Files) {
  const checkFile = async (name: string, start: string) => {
    const bytes = await files.get(name);
    if (bytes === undefined) return [];
    const report = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const isValid =
      report.subarray(0, start.length).toString('latin1') === start && report.includes(item.sha256);
    return unless(isValid, name, `${name} is not a report on this picture.`);
  };
  const problems: Problem[] = [];
  for (const language of languages) {
    problems.push(...(await checkFile(fileNames.report(language), '%PDF-')));
    problems.push(...(await checkFile(fileNames.html(language), '<!doctype html>')));
  }
  return problems;
}

/** The size stated in the IHDR chunk, which comes first in every PNG file (ISO/IEC 15948, 11.2.1). */
function pngSize(bytes: Uint8Array): string | null {
  const png = Buffer.from(bytes);
  if (png.length < 24 || png.readUInt32BE(0) !== 0x8950_4e47) return null;
  return `${png.readUInt32BE(16)} x ${png.readUInt32BE(20)}`;
}

function isEqual(one: unknown, other: unknown): boolean {
  return canonicalBytes(one).equals(canonicalBytes(other));
}

export function unless(isFine: boolean, file: string, message: string): readonly Problem[] {
  return isFine ? [] : [contradiction(file, message)];
}

function contradiction(file: string, message: string): Problem {
  return { kind: 'contradiction', file, message };
}
