/** The checks of a bundle. */

import { verify } from 'node:crypto';
import {
  fileContent,
  type Manifest,
  manifestFile,
  publicKeyFile,
  signatureFile,
  type UnpackedBundle,
} from './bundle-format.ts';
import { archiveParts, readPublicKey, sha256Of } from './sign.ts';

type Kind = 'changed' | 'missing' | 'added' | 'signature' | 'key' | 'container' | 'contradiction';

export interface Problem {
  /**
   * `changed`: the bytes of a listed file or of the signed list differ. `added`: a file is not in the list, or is in
   * the archive twice. `signature`: the signature does not match the list and the key. `key`: the signature is valid,
   * but its key is not the expected one. `container`: the archive has bytes outside its files. `contradiction`: the
   * signature is valid, but parts of the bundle contradict each other.
   */
  readonly kind: Kind;
  /** Name inside the archive; null if the problem does not concern a single file. */
  readonly file: string | null;
  /** One sentence in English. */
  readonly message: string;
}

export interface VerifyOptions {
  /** Fingerprint of the expected signing key; if it is not given, anyone could have signed the bundle. */
  readonly fingerprint?: string;
}

export interface Verification {
  readonly holds: boolean;
  readonly problems: readonly Problem[];
  /** The signing key; null if the signature is invalid. */
  readonly key: {
    readonly fingerprint: string;
    /** Whether it is the expected key; null if none was given, in which case anyone could have signed the bundle. */
    readonly isExpected: boolean | null;
  } | null;
  /** The signed list; null if it cannot be trusted. */
  readonly manifest: Manifest | null;
  /** Null if the result cannot be read or was changed. */
  readonly verdict: string | null;
  /** For a case archive: the bundles in it. */
  readonly pictures?: readonly VerifiedPicture[];
}

export interface VerifiedPicture {
  readonly file: string;
  /** Name of the picture; null if its list cannot be trusted. */
  readonly name: string | null;
  readonly verdict: string | null;
  readonly holds: boolean;
}

export interface FileCheck {
  readonly problems: readonly Problem[];
  /** Contents of the files that match the list, by file name. */
  readonly intact: ReadonlyMap<string, Uint8Array>;
}

/** Checks that the archive contains exactly the files in its list, unchanged. */
export function checkFiles(unpacked: UnpackedBundle): FileCheck {
  const problems: Problem[] = [];
  const intact = new Map<string, Uint8Array>();
  for (const { name, sha256 } of unpacked.manifest.files) {
    const bytes = fileContent(unpacked, name);
    if (bytes !== null && sha256Of(bytes) === sha256) intact.set(name, bytes);
    else problems.push(bytes === null ? missing(name) : changed(name));
  }
  const names = unpacked.entries.map(({ name }) => name);
  problems.push(...findAdded(unpacked.manifest, names));
  return { problems: [...problems, ...checkContainer(unpacked, intact)], intact };
}

export function missing(file: string): Problem {
  return { kind: 'missing', file, message: `${file} is missing.` };
}

export function changed(file: string): Problem {
  return { kind: 'changed', file, message: `${file} was changed.` };
}

/** The two files that cannot be in the list. */
export const sealFiles: readonly string[] = [manifestFile, signatureFile];

/** @param names - of all files in the archive. */
export function findAdded({ files }: Manifest, names: readonly string[]): readonly Problem[] {
  const listed = new Set([...files.map(({ name }) => name), ...sealFiles]);
  return names.flatMap((file, at) => {
    if (listed.has(file) && names.indexOf(file) === at) return [];
    const isTwice = listed.has(file);
    const what = isTwice ? 'is in the archive more than once' : 'was added: it is not in the list';
    return [{ kind: 'added' as const, file, message: `${file} ${what}.` }];
  });
}

/** Rebuilds the archive from its files: if the result differs, bytes between the files were changed. */
function checkContainer(unpacked: UnpackedBundle, intact: FileCheck['intact']): readonly Problem[] {
  const { bytes, entries, manifest, manifestBytes } = unpacked;
  const signature = fileContent(unpacked, signatureFile);
  const files = manifest.files.flatMap(({ name, packedSha256 }) => {
    const found = entries.find((entry) => entry.name === name);
    if (found === undefined) return [];
    // A changed file has already been reported. Its stated checksum is used, so that this reports
    // only changes around the file.
    if (!intact.has(name)) return [found];
    const { bytes: content, packed = new Uint8Array() } = found;
    if (packedSha256 === undefined) return [{ name, bytes: content }];
    const isAsPacked = sha256Of(packed) === packedSha256;
    return [{ name, bytes: content, packed: isAsPacked ? packed : new Uint8Array() }];
  });
  // A missing file cannot be rebuilt, and has already been reported.
  if (signature === null || files.length < manifest.files.length) return [];
  let at = 0;
  for (const part of archiveParts(manifestBytes, signature, files, manifest)) {
    const found = bytes.subarray(at, at + part.bytes.length);
    if (Buffer.compare(found, part.bytes) !== 0) return [strayBytes(part.what, at)];
    at += part.bytes.length;
  }
  return at === bytes.length ? [] : [strayBytes('the end of the archive', at)];
}

function strayBytes(what: string, at: number): Problem {
  const message = `The archive is not as it was written: bytes were changed or added at or after byte ${at}, ${what}.`;
  return { kind: 'container', file: null, message };
}

type Signed = Pick<Verification, 'problems' | 'key'>;

/**
 * Checks the signature against the list and the key. The key comes from the archive itself, so this
 * only proves that everything was signed by the same person, whom the key's fingerprint identifies.
 *
 * @param expected - fingerprint of the expected key; null if the caller gives none.
 */
export function checkSignature(unpacked: UnpackedBundle, expected: string | null): Signed {
  const signature = fileContent(unpacked, signatureFile);
  if (signature === null) return unsigned('missing', signatureFile, 'The signature is missing.');
  const pem = fileContent(unpacked, publicKeyFile);
  const key = pem && readPublicKey(Buffer.from(pem).toString('latin1'));
  if (key === null) return unsigned('changed', publicKeyFile, 'The public key cannot be read.');
  const { fingerprint } = key;
  const isValid = verify(null, unpacked.manifestBytes, key.pem, signature);
  if (!isValid || unpacked.manifest.key.fingerprint !== fingerprint) {
    return unsigned('signature', signatureFile, signatureInvalid);
  }
  const isExpected = expected === null ? null : expected === fingerprint;
  const message = `Signed with a different key from the one expected: its fingerprint is ${fingerprint}.`;
  const otherKey = { kind: 'key', file: publicKeyFile, message } as const;
  return { problems: isExpected === false ? [otherKey] : [], key: { fingerprint, isExpected } };
}

const signatureInvalid =
  'The signature does not match: the list of files, the signature or the key was changed after signing.';

function unsigned(kind: Problem['kind'], file: string, message: string): Signed {
  return { problems: [{ kind, file, message }], key: null };
}
