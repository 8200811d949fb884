/** What verification establishes about a bundle. */

import {
  fileContent,
  type Manifest,
  manifestFile,
  publicKeyFile,
  signatureFile,
  type UnpackedBundle,
} from './bundle-format.ts';
import { archiveParts, isSignedBy, type PublicKey, readPublicKey, sha256Of } from './sign.ts';

const problemKinds = [
  /** A listed file has other bytes, or the signed list itself. */
  'changed',
  'missing',
  /** A file that the list does not name, or names once and the archive holds twice. */
  'added',
  /** The signature does not fit the list and the key. */
  'signature',
  /** Signed, but not by the key that was expected. */
  'key',
  /** Bytes of the archive outside of its files. */
  'container',
  /** Signed as it is, but its parts do not belong together. */
  'contradiction',
] as const;

export interface Problem {
  readonly kind: (typeof problemKinds)[number];
  /** Name inside the archive; null when it concerns no single file. */
  readonly file: string | null;
  /** One English sentence. */
  readonly message: string;
}

export interface Verification {
  /** True when there is no problem at all. */
  readonly holds: boolean;
  readonly problems: readonly Problem[];
  /** The key that signed; null when no signature holds. */
  readonly key: {
    readonly fingerprint: string;
    /** Whether it is the expected one; null when none was named. Then anyone may have signed. */
    readonly isExpected: boolean | null;
  } | null;
  /** The content of the signed list; null when it cannot be trusted. */
  readonly manifest: Manifest | null;
  /** Null when the result cannot be read or was changed. */
  readonly verdict: string | null;
}

export interface Filed {
  readonly problems: readonly Problem[];
  /** Content by name of the files that match the list. */
  readonly intact: ReadonlyMap<string, Uint8Array>;
}

/** Checks that the archive holds exactly the files of its list, unchanged. */
export function checkFiles(unpacked: UnpackedBundle): Filed {
  const listed = new Map(unpacked.manifest.files.map((file) => [file.name, file]));
  const problems: Problem[] = [];
  const intact = new Map<string, Uint8Array>();
  const seen = new Set<string>();
  const add = (kind: Problem['kind'], file: string, what: string) =>
    problems.push({ kind, file, message: `${file} ${what}.` });
  for (const { name, bytes } of unpacked.entries) {
    const file = listed.get(name);
    if (seen.has(name)) add('added', name, 'is in the archive more than once');
    else if (file !== undefined && sha256Of(bytes) === file.sha256) intact.set(name, bytes);
    else if (file !== undefined) add('changed', name, 'was changed');
    else if (!ofTheSeal.includes(name)) add('added', name, 'was added: the list does not name it');
    seen.add(name);
  }
  for (const name of listed.keys()) if (!seen.has(name)) add('missing', name, 'is missing');
  return { problems: [...problems, ...checkContainer(unpacked, intact)], intact };
}

/** The two that cannot stand in the list. */
const ofTheSeal: readonly string[] = [manifestFile, signatureFile];

/** Writes the archive again from its files: any remaining difference is between them. */
function checkContainer(unpacked: UnpackedBundle, intact: Filed['intact']): readonly Problem[] {
  const { bytes, entries, manifest, manifestBytes } = unpacked;
  const signature = fileContent(unpacked, signatureFile);
  const files = manifest.files.flatMap(({ name }) => {
    const found = entries.find((entry) => entry.name === name);
    if (found === undefined) return [];
    // A changed file was reported already: its checksum is unpacked as stated, so that only what is around it is reported here.
    return [intact.has(name) ? { name, bytes: found.bytes } : found];
  });
  // A missing file cannot be written again, and was reported.
  if (signature === null || files.length < manifest.files.length) return [];
  let at = 0;
  for (const part of archiveParts({ manifest: manifestBytes, signature, files }, manifest)) {
    const found = bytes.subarray(at, at + part.bytes.length);
    if (Buffer.compare(found, part.bytes) !== 0) return [strayBytes(part.what, at)];
    at += part.bytes.length;
  }
  return at === bytes.length ? [] : [strayBytes('the end of the archive', at)];
}

function strayBytes(what: string, at: number): Problem {
  const message = `The archive is not as it was written: bytes were changed or added at or behind byte ${at}, ${what}.`;
  return { kind: 'container', file: null, message };
}

interface Signed {
  readonly problems: readonly Problem[];
  readonly key: Verification['key'];
}

/**
 * Checks the signature against the list and the key. The key comes from the archive itself: it proves that everything has
 * one signer, and only its fingerprint identifies that signer.
 *
 * @param expected - fingerprint; null when the caller names none.
 */
export function checkSignature(unpacked: UnpackedBundle, expected: string | null): Signed {
  const signature = fileContent(unpacked, signatureFile);
  if (signature === null) return unsigned('missing', signatureFile, 'The signature is missing.');
  const key = keyInside(unpacked);
  if (key === null) return unsigned('changed', publicKeyFile, 'The public key cannot be read.');
  const { fingerprint } = key;
  const isValid = isSignedBy(key, { bytes: unpacked.manifestBytes, signature });
  if (!isValid || unpacked.manifest.key.fingerprint !== fingerprint) {
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

function keyInside(unpacked: UnpackedBundle): PublicKey | null {
  const bytes = fileContent(unpacked, publicKeyFile);
  return bytes === null ? null : readPublicKey(Buffer.from(bytes).toString('latin1'));
}

function unsigned(kind: Problem['kind'], file: string, message: string): Signed {
  return { problems: [{ kind, file, message }], key: null };
}
