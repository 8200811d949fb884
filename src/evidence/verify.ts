/**
 * Verifies an evidence bundle from the file alone, without our keys, models or a network. Checks that every byte is as
 * it was signed, that the signature matches the included key, and that all parts describe the same picture and result.
 */

import { readFileUpTo } from '../ports/files/system-errors.ts';
import {
  maxBundleBytes,
  resultFile,
  fileContent,
  manifestFile,
  maxBundleFiles,
  parseManifest,
  signatureFile,
  type UnpackedBundle,
  parseJson,
} from './bundle-format.ts';
import {
  checkFiles,
  checkSignature,
  type FileCheck,
  missing,
  type Problem,
  type Verification,
  type VerifyOptions,
} from './checks.ts';
import { findContradictions } from './contradictions.ts';
import { readZip } from './read-zip.ts';
import { openCaseArchive, verifyCase } from './verify-case.ts';
import { ForensicsError } from '../errors.ts';

/**
 * If a bundle fails verification, that is a result, not an error.
 *
 * @param bundle - path of the archive, or its bytes.
 * @throws {ForensicsError} `bundle_unreadable` for a file that is not a bundle, `file_*`.
 */
export async function verifyBundle(
  bundle: string | Uint8Array,
  options: VerifyOptions = {},
): Promise<Verification> {
  const archive = await openCaseArchive(bundle);
  if (archive === null) return (await inspectBundle(bundle, options)).verification;
  try {
    return await verifyCase(archive, options, async (bytes, key) => {
      return (await inspectBundle(bytes, key)).verification;
    });
  } finally {
    await archive.close();
  }
}

/** Verifies a bundle, and also returns the intact files by name, for further processing. @throws as `verifyBundle`. */
export async function inspectBundle(
  bundle: string | Uint8Array,
  { fingerprint }: VerifyOptions,
): Promise<{ readonly verification: Verification; readonly files: FileCheck['intact'] }> {
  const bytes = typeof bundle === 'string' ? await readFileUpTo(bundle, maxBundleBytes) : bundle;
  const entries = await toEntries(bytes);
  if (entries === null) return broken({ kind: 'container', file: null, message: damaged });
  const manifestBytes = fileContent({ entries }, manifestFile);
  if (manifestBytes === null) return broken(missing(manifestFile));
  const manifest = parseManifest(manifestBytes);
  if (manifest === null) {
    const message = `${manifestFile} was changed: it is not a list of files.`;
    return broken({ kind: 'changed', file: manifestFile, message });
  }
  const unpacked = { bytes, entries, manifest, manifestBytes };
  const { key, problems: ofSignature } = checkSignature(unpacked, fingerprint ?? null);
  const { intact: files, problems: ofFiles } = checkFiles(unpacked);
  const contradictions = key === null ? [] : findContradictions(manifest, files);
  const problems = [...ofSignature, ...ofFiles, ...contradictions];
  // Without a valid signature, the list cannot be trusted.
  const trusted = key === null ? nothing : { manifest, verdict: verdictIn(files) };
  return { verification: { holds: problems.length === 0, problems, key, ...trusted }, files };
}

const nothing = { manifest: null, verdict: null };

function broken(problem: Problem) {
  const verification = { holds: false, problems: [problem], key: null, ...nothing };
  return { verification, files: new Map() };
}

function verdictIn(files: FileCheck['intact']): string | null {
  const value = parseJson(files.get(resultFile));
  if (typeof value !== 'object' || value === null || !('verdict' in value)) return null;
  return typeof value.verdict === 'string' ? value.verdict : null;
}

/** Compressed pictures hardly shrink further, so anything that grows by more than this factor is malicious. */
const maxGrowth = 20;

/** Null for an unreadable archive that calls itself a bundle; throws for any other unreadable file. */
async function toEntries(bytes: Uint8Array): Promise<UnpackedBundle['entries'] | null> {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isBundle = view.includes(signatureFile) || view.includes(manifestFile);
  const maxBytes = Math.min(maxBundleBytes, maxGrowth * bytes.length);
  try {
    const entries = await readZip(bytes, { maxEntries: 2 * maxBundleFiles, maxBytes });
    if (!isBundle) throw new ForensicsError('bundle_unreadable', notABundle);
    return entries;
  } catch (error) {
    if (error instanceof ForensicsError && isBundle) return null;
    throw error;
  }
}

const damaged =
  'The archive can no longer be read: it was damaged or truncated, or data was added before or after it.';

const notABundle = 'This zip archive is not an evidence bundle: it contains no manifest.json.';
