/** Takes a bundle apart and compares every byte of it with what was signed. */

import { ForensicsError } from '../errors.ts';
import {
  contentOf,
  type Manifest,
  manifestFile,
  maxBundleBytes,
  maxBundleFiles,
  parseManifest,
  signatureFile,
  type UnpackedBundle,
} from './bundle-format.ts';
import {
  checkFiles,
  checkSignature,
  type Filed,
  type Problem,
  type Verification,
} from './checks.ts';
import { canonicalBytes, parseJson } from './records.ts';
import { readZip } from './zip.ts';

export interface OpenBundle {
  readonly problems: readonly Problem[];
  /** Null unless its signature holds. */
  readonly manifest: Manifest | null;
  readonly key: Verification['key'];
  /** Content by name: only files that are what the list says. */
  readonly files: Filed['intact'];
}

/** A compressed archive of pictures is hardly smaller than they are: what grows more than this is built to do harm. */
const maxGrowth = 20;

/**
 * @param expected - fingerprint of the key that should have signed; null when nobody says.
 * @throws {ForensicsError} `bundle_unreadable` for what never was a bundle.
 */
export async function openBundle(bytes: Uint8Array, expected: string | null): Promise<OpenBundle> {
  const entries = await entriesOf(bytes);
  if (entries instanceof ForensicsError) {
    return broken('container', null, damaged);
  }
  const manifestBytes = contentOf({ entries }, manifestFile);
  if (manifestBytes === null) {
    return broken('missing', manifestFile, `${manifestFile} is missing.`);
  }
  const manifest = parseManifest(manifestBytes);
  if (manifest === null || !isCanonical(manifestBytes)) {
    return broken('changed', manifestFile, `${manifestFile} was changed: it is no list of files.`);
  }
  return compare({ bytes, entries, manifest, manifestBytes }, expected);
}

/** An archive that says of itself that it is a bundle, and cannot be read, was harmed; any other file never was one. */
async function entriesOf(bytes: Uint8Array): Promise<UnpackedBundle['entries'] | ForensicsError> {
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

const damaged =
  'The archive cannot be read any more: it was damaged or cut off, or something was added before or behind it.';

const notOurs = 'This zip archive is no evidence bundle: it holds no manifest.json.';

function isCanonical(bytes: Uint8Array): boolean {
  return canonicalBytes(parseJson(bytes)).equals(bytes);
}

function compare(unpacked: UnpackedBundle, expected: string | null): OpenBundle {
  const signed = checkSignature(unpacked, expected);
  const filed = checkFiles(unpacked);
  return {
    problems: [...signed.problems, ...filed.problems],
    manifest: signed.key === null ? null : unpacked.manifest,
    key: signed.key,
    files: filed.intact,
  };
}

function broken(kind: Problem['kind'], file: string | null, message: string): OpenBundle {
  return { problems: [{ kind, file, message }], manifest: null, key: null, files: new Map() };
}
