/**
 * Verifies a case archive: the archive itself like any other bundle, and the bundle of each picture inside it. Only one
 * picture's bundle is in memory at a time, because a case may take many gigabytes.
 */

import { type FileHandle, open } from 'node:fs/promises';
import { type Entry, fromBufferPromise, fromFdPromise } from 'yauzl';
import { ForensicsError } from '../errors.ts';
import {
  canonicalBytes,
  caseFile,
  caseFormat,
  type Manifest,
  manifestFile,
  maxBundleBytes,
  maxBundleFiles,
  maxCasePictures,
  parseManifest,
  publicKeyFile,
  signatureFile,
} from './bundle-format.ts';
import { parseCaseRecord } from './case-bundle.ts';
import {
  changed,
  checkSignature,
  findAdded,
  missing,
  type Problem,
  sealFiles,
  type Verification,
  type VerifyOptions,
} from './checks.ts';
import { checkReports, unless } from './contradictions.ts';
import { unpack } from './read-zip.ts';
import { openZip, sha256Of } from './sign.ts';

interface CaseArchive {
  readonly manifest: Manifest;
  readonly manifestBytes: Uint8Array;
  /** In directory order; names may occur twice. */
  readonly entries: readonly Entry[];
  readonly sizeBytes: number;
  /** The content of an entry; below, `length` bytes of the archive from a position. */
  readonly content: (entry: Entry) => Promise<Uint8Array>;
  readonly read: (position: number, length: number) => Promise<Uint8Array>;
  readonly close: () => Promise<void>;
}

/** Null for any other file, including one that cannot be read, which the caller reports. */
export async function openCaseArchive(bundle: string | Uint8Array): Promise<CaseArchive | null> {
  const source =
    typeof bundle === 'string'
      ? await open(bundle).catch(() => null)
      : Buffer.from(bundle.buffer, bundle.byteOffset, bundle.byteLength);
  if (source === null) return null;
  const archive = await openArchive(source).catch(() => null);
  if (archive === null) await close(source);
  return archive;
}

type Source = FileHandle | Buffer;

async function close(source: Source): Promise<void> {
  if (!Buffer.isBuffer(source)) await source.close();
}

const stored = 0;
const maxEntries = 2 * (maxCasePictures + maxBundleFiles);

async function openArchive(source: Source): Promise<CaseArchive | null> {
  const options = { decodeStrings: false, autoClose: false };
  if (Buffer.isBuffer(source) && !source.includes(caseFormat)) return null;
  const zip = Buffer.isBuffer(source)
    ? await fromBufferPromise(source, options)
    : await fromFdPromise(source.fd, options);
  const content = async (entry: Entry) => {
    const isOurs = entry.compressionMethod === stored && entry.uncompressedSize <= maxBundleBytes;
    if (!isOurs) throw new RangeError('not an entry that such an archive can have');
    return unpack(await zip.openReadStreamPromise(entry), entry);
  };
  const entries: Entry[] = [];
  const isInBounds = zip.entryCount <= maxEntries && zip.fileSize < 2 ** 32;
  if (isInBounds) for await (const entry of zip.eachEntry()) entries.push(entry);
  const found = entries.find((entry) => nameOf(entry) === manifestFile);
  const manifestBytes = found && (await content(found));
  const manifest = manifestBytes && parseManifest(manifestBytes);
  if (manifestBytes === undefined || manifest?.format !== caseFormat) return null;
  const read = async (position: number, length: number) => {
    if (Buffer.isBuffer(source)) return source.subarray(position, position + length);
    const { buffer, bytesRead } = await source.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  };
  const facts = { manifest, manifestBytes, entries, sizeBytes: zip.fileSize };
  return { ...facts, content, read, close: () => close(source) };
}

function nameOf({ fileNameRaw }: Entry): string {
  return fileNameRaw.toString('utf8');
}

type VerifyPicture = (bytes: Uint8Array, options: VerifyOptions) => Promise<Verification>;

/** @param verifyPicture - verifies the bundle of a single picture. */
export async function verifyCase(
  archive: CaseArchive,
  { fingerprint }: VerifyOptions,
  verifyPicture: VerifyPicture,
): Promise<Verification> {
  const { manifest } = archive;
  const signed = await checkSeal(archive, fingerprint ?? null);
  const signer = signed.key === null ? {} : { fingerprint: signed.key.fingerprint };
  const files = new Map<string, Uint8Array>();
  const pictures = new Map<string, Verification>();
  const problems: Problem[] = [...signed.problems];
  const found = await checkEntries(archive, async (name, bytes) => {
    if (!name.endsWith('.zip')) {
      files.set(name, bytes);
      return;
    }
    const verified = await verifyPicture(bytes, signer).catch(notVerified);
    pictures.set(name, verified);
    problems.push(...verified.problems.map((problem) => within(name, problem)));
  });
  problems.push(...found, ...checkReports(manifest, files), ...checkRecord(files, pictures));
  return {
    holds: problems.length === 0,
    problems,
    key: signed.key,
    manifest: signed.key === null ? null : manifest,
    verdict: null,
    pictures: [...pictures].map(([file, { manifest: own, verdict, holds }]) => {
      return { file, name: own?.item.name ?? null, verdict, holds };
    }),
  };
}

/** The result for an entry that is not a valid bundle. */
function notVerified(error: unknown): Verification {
  if (!(error instanceof ForensicsError)) throw error;
  const problems = [{ kind: 'container', file: null, message: error.message } as const];
  return { holds: false, problems, key: null, manifest: null, verdict: null };
}

function within(picture: string, { kind, file, message }: Problem): Problem {
  const path = file === null ? picture : `${picture}/${file}`;
  return { kind, file: path, message: `${picture}: ${message}` };
}

async function checkSeal(
  { entries, content, manifest, manifestBytes }: CaseArchive,
  expected: string | null,
) {
  const read = await Promise.all(
    entries
      .map((entry) => ({ entry, name: nameOf(entry), crc32: entry.crc32 }))
      .filter(({ name }) => name === signatureFile || name === publicKeyFile)
      .map(async ({ entry, ...facts }) => ({ ...facts, bytes: await content(entry) })),
  );
  const unpacked = { bytes: new Uint8Array(), entries: read, manifest, manifestBytes };
  return checkSignature(unpacked, expected);
}

/**
 * Compares each entry with the list, and everything around the entries with what the archive should contain there.
 *
 * @param take - receives the unchanged files, in the order of the list.
 */
async function checkEntries(
  archive: CaseArchive,
  take: (name: string, bytes: Uint8Array) => Promise<void>,
): Promise<readonly Problem[]> {
  const { manifest, entries, sizeBytes, content, read } = archive;
  const problems: Problem[] = [];
  const byName = new Map(entries.toReversed().map((entry) => [nameOf(entry), entry]));
  const zip = openZip(new Date(manifest.signedAt));
  let at = 0;
  let isAsWritten = true;
  const compare = async (expected: Uint8Array) => {
    const found = await read(at, expected.length);
    isAsWritten = isAsWritten && Buffer.compare(found, expected) === 0;
    at += expected.length;
  };
  // The list and its signature come last.
  const seal = sealFiles.map((name) => ({ name, sha256: null }));
  for (const { name, sha256 } of [...manifest.files, ...seal]) {
    const entry = byName.get(name);
    if (entry === undefined) {
      problems.push(missing(name));
      continue;
    }
    const bytes = await content(entry).catch(() => null);
    if (bytes === null || (sha256 !== null && sha256Of(bytes) !== sha256)) {
      problems.push(changed(name));
      continue;
    }
    await compare(zip.header({ name, bytes }));
    at += bytes.length;
    if (sha256 !== null) await take(name, bytes);
  }
  problems.push(...findAdded(manifest, entries.map(nameOf)));
  for (const part of zip.end()) await compare(part.bytes);
  // Once a file has changed, changes outside the files cannot be detected reliably.
  if (problems.length > 0 || (isAsWritten && at === sizeBytes)) return problems;
  const message = 'The archive is not as it was written: bytes were changed or added in it.';
  return [{ kind: 'container', file: null, message }];
}

/** Checks that the list of pictures matches the bundles in the archive. */
function checkRecord(
  files: ReadonlyMap<string, Uint8Array>,
  pictures: ReadonlyMap<string, Verification>,
): readonly Problem[] {
  const bytes = files.get(caseFile);
  if (bytes === undefined) return [];
  const record = parseCaseRecord(bytes);
  if (record === null) return unless(false, caseFile, `${caseFile} contains no list of pictures.`);
  const listed = record.pictures.filter(({ file }) => file !== null);
  const isSame = listed.every(({ file, sha256, verdict, manifestSha256 }) => {
    const found = pictures.get(file!);
    // A bundle that failed verification has already been reported.
    if (found === undefined || !found.holds) return true;
    return (
      found.manifest?.item.sha256 === sha256 &&
      found.verdict === verdict &&
      sha256Of(canonicalBytes(found.manifest)) === manifestSha256
    );
  });
  const isWhole = listed.length === pictures.size;
  const message = `${caseFile} lists pictures that differ from those in this archive.`;
  return unless(isSame && isWhole, caseFile, message);
}
