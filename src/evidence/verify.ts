/**
 * Verifies an evidence bundle: needs the file alone, no key of ours, no model, no network. What is checked: every byte
 * is what was signed, the signature fits the key inside, and the parts speak of the same picture and result.
 */

import { readFileUpTo } from '../files/read-file.ts';
import { maxBundleBytes, resultFile } from './bundle-format.ts';
import type { Verification } from './checks.ts';
import { findContradictions } from './contradictions.ts';
import { type OpenBundle, openBundle } from './open-bundle.ts';
import { parseJson } from './records.ts';

export interface VerifyOptions {
  /** Fingerprint of the key that should have signed; without it anybody may have. */
  readonly fingerprint?: string;
}

/**
 * A bundle that does not hold is an answer, no error.
 *
 * @param bundle - path of the archive, or its bytes.
 * @throws {ForensicsError} `bundle_unreadable` for what never was a bundle, `file_*`.
 */
export async function verifyBundle(
  bundle: string | Uint8Array,
  options: VerifyOptions = {},
): Promise<Verification> {
  return (await inspectBundle(bundle, options)).verification;
}

export interface Inspected {
  readonly verification: Verification;
  /** Content by name of what is as it was signed. */
  readonly files: OpenBundle['files'];
}

/** The same with the files, for whoever works on with them. @throws as `verifyBundle`. */
export async function inspectBundle(
  bundle: string | Uint8Array,
  { fingerprint }: VerifyOptions,
): Promise<Inspected> {
  const bytes = typeof bundle === 'string' ? await readFileUpTo(bundle, maxBundleBytes) : bundle;
  const { manifest, key, files, ...opened } = await openBundle(bytes, fingerprint ?? null);
  const contradictions = manifest === null ? [] : findContradictions(manifest, files);
  const problems = [...opened.problems, ...contradictions];
  const verdict = manifest === null ? null : verdictIn(files);
  return {
    verification: { holds: problems.length === 0, problems, key, manifest, verdict },
    files,
  };
}

function verdictIn(files: OpenBundle['files']): string | null {
  const bytes = files.get(resultFile);
  const value = bytes === undefined ? undefined : parseJson(bytes);
  if (typeof value !== 'object' || value === null || !('verdict' in value)) return null;
  return typeof value.verdict === 'string' ? value.verdict : null;
}
