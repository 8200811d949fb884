/** Takes a bundle apart and compares every byte of it with what was signed. */

import type { ZipEntry } from './zip-writer.ts';
import { canonicalBytes, parseJson } from './canonical-json.ts';
import { ForensicsError } from '../errors.ts';
import {
  manifestFile,
  maxBundleBytes,
  maxBundleFiles,
  publicKeyFile,
  signatureFile,
} from './layout.ts';
import { type Manifest, parseManifest } from './manifest.ts';
import { archiveOf, sha256Of } from './seal.ts';
import { isSignedBy, type PublicKey, readPublicKey } from './signer.ts';
import type { Problem } from './verification.ts';
import { readZip } from './zip-reader.ts';

export interface OpenBundle {
  readonly problems: readonly Problem[];
  /** Null unless its signature holds. */
  readonly manifest: Manifest | null;
  readonly key: { readonly fingerprint: string; readonly isExpected: boolean | null } | null;
  /** Content by name: only files that are what the signed list says. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

type Entries = readonly Required<ZipEntry>[];

/** A compressed archive of pictures is hardly smaller than they are: what grows more than this is built to do harm. */
const maxGrowth = 20;

/**
 * @param expected - fingerprint of the key that should have signed; null when nobody says.
 * @throws {ForensicsError} `bundle_unreadable` for what never was a bundle.
 */
export async function openBundle(bytes: Uint8Array, expected: string | null): Promise<OpenBundle> {
  const entries = await entriesOf(bytes);
  if (entries instanceof ForensicsError) {
    return broken('container', null, `The archive is damaged or cut off: ${entries.message}`);
  }
  const manifestBytes = entries.find(({ name }) => name === manifestFile)?.bytes;
  if (manifestBytes === undefined)
    return broken('missing', manifestFile, `${manifestFile} is missing.`);
  const manifest = parseManifest(manifestBytes);
  if (manifest === null || !isCanonical(manifestBytes)) {
    return broken('changed', manifestFile, `${manifestFile} was changed: it is no list of files.`);
  }
  return compare({ bytes, entries, manifest, manifestBytes }, expected);
}

/** An archive that says of itself that it is a bundle, and cannot be read, was harmed; any other file never was one. */
async function entriesOf(bytes: Uint8Array): Promise<Entries | ForensicsError> {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isBundle = view.includes(signatureFile) || view.includes(manifestFile);
  const maxBytes = Math.min(maxBundleBytes, maxGrowth * bytes.length);
  try {
    const entries = await readZip(bytes, { maxEntries: 2 * maxBundleFiles, maxBytes });
    if (!isBundle) throw new ForensicsError('bundle_unreadable', notOurs);
    return entries;
  } catch (error) {
    if (error instanceof ForensicsError && isBundle) return error;
    throw error;
  }
}

const notOurs = 'This zip archive is no evidence bundle: it holds no manifest.json.';

function isCanonical(bytes: Uint8Array): boolean {
  return canonicalBytes(parseJson(bytes)).equals(bytes);
}

interface Taken {
  readonly bytes: Uint8Array;
  readonly entries: Entries;
  readonly manifest: Manifest;
  readonly manifestBytes: Uint8Array;
}

function compare(taken: Taken, expected: string | null): OpenBundle {
  const { entries, manifest } = taken;
  const signed = checkSignature(taken, expected);
  const filed = checkFiles(taken);
  const problems = [...signed.problems, ...filed.problems, ...checkContainer(taken, filed.intact)];
  const intact = entries.filter(({ name }) => filed.intact.has(name));
  return {
    problems,
    manifest: signed.key === null ? null : manifest,
    key: signed.key,
    files: new Map(intact.map(({ name, bytes }) => [name, bytes])),
  };
}

interface Signed {
  readonly problems: readonly Problem[];
  readonly key: OpenBundle['key'];
}

/** The key comes out of the archive: it proves that all is from one hand, and its fingerprint tells from whose. */
function checkSignature(
  { entries, manifest, manifestBytes }: Taken,
  expected: string | null,
): Signed {
  const signature = entries.find(({ name }) => name === signatureFile)?.bytes;
  if (signature === undefined)
    return unsigned('missing', signatureFile, 'The signature is missing.');
  const key = keyInside(entries);
  if (key === null) return unsigned('changed', publicKeyFile, 'The public key cannot be read.');
  const { fingerprint } = key;
  const isValid = isSignedBy(key, { bytes: manifestBytes, signature });
  if (!isValid || manifest.key.fingerprint !== fingerprint) {
    return unsigned('signature', signatureFile, signatureFails);
  }
  const isExpected = expected === null ? null : expected === fingerprint;
  const problems = isExpected === false ? [otherKey(fingerprint)] : [];
  return { problems, key: { fingerprint, isExpected } };
}

const signatureFails =
  'The signature does not fit: the list of files, the signature or the key was changed after signing.';

function otherKey(fingerprint: string): Problem {
  const message = `Signed by another key than the expected one: its fingerprint is ${fingerprint}.`;
  return { kind: 'key', file: publicKeyFile, message };
}

function keyInside(entries: Entries): PublicKey | null {
  const found = entries.find(({ name }) => name === publicKeyFile);
  return found === undefined ? null : readPublicKey(Buffer.from(found.bytes).toString('latin1'));
}

interface Filed {
  readonly problems: readonly Problem[];
  readonly intact: ReadonlySet<string>;
}

function checkFiles({ entries, manifest }: Taken): Filed {
  const listed = new Map(manifest.files.map((file) => [file.name, file]));
  const problems: Problem[] = [];
  const intact = new Set<string>();
  const seen = new Set<string>();
  const add = (kind: Problem['kind'], file: string, message: string) =>
    problems.push({ kind, file, message });
  for (const { name, bytes } of entries) {
    const entry = listed.get(name);
    const isOfTheSeal = name === manifestFile || name === signatureFile;
    if (seen.has(name)) add('added', name, `${name} is in the archive more than once.`);
    else if (isOfTheSeal) seen.add(name);
    else if (entry === undefined)
      add('added', name, `${name} was added: the list does not name it.`);
    else if (sha256Of(bytes) !== entry.sha256) add('changed', name, `${name} was changed.`);
    else intact.add(name);
    seen.add(name);
  }
  for (const name of listed.keys()) {
    if (!seen.has(name)) add('missing', name, `${name} is missing.`);
  }
  return { problems, intact };
}

/** Writes the archive again from its files: whatever differs then lies between them. */
function checkContainer(
  { bytes, entries, manifest, manifestBytes }: Taken,
  intact: ReadonlySet<string>,
): readonly Problem[] {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const signature = byName.get(signatureFile);
  const files = manifest.files.flatMap(({ name }) => byName.get(name) ?? []);
  if (signature === undefined || files.length < manifest.files.length) return [];
  // A changed file was told already; its checksum is taken as stated, so that only what lies outside of it is told here.
  const asStated = files.map(({ crc32, ...file }) =>
    intact.has(file.name) ? file : { ...file, crc32 },
  );
  let at = 0;
  for (const { what, bytes: part } of archiveOf(
    { manifest: manifestBytes, signature: signature.bytes, files: asStated },
    manifest,
  )) {
    const found = bytes.subarray(at, at + part.length);
    if (Buffer.compare(found, part) !== 0) return [strayBytes(what, at)];
    at += part.length;
  }
  return at === bytes.length ? [] : [strayBytes('the end of the archive', at)];
}

function strayBytes(what: string, at: number): Problem {
  const message = `The archive is not as it was written: bytes were changed or added at or behind byte ${at}, ${what}.`;
  return { kind: 'container', file: null, message };
}

function broken(kind: Problem['kind'], file: string | null, message: string): OpenBundle {
  return { problems: [{ kind, file, message }], manifest: null, key: null, files: new Map() };
}

function unsigned(kind: Problem['kind'], file: string, message: string): Signed {
  return { problems: [{ kind, file, message }], key: null };
}
