/** Puts files into a bundle that nobody can change unseen: checksums, their list, the signature over it, one archive. */

import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import {
  bundleFormat,
  type Manifest,
  manifestFile,
  publicKeyFile,
  signatureFile,
  sumsFile,
  canonicalBytes,
} from './bundle-format.ts';
import { writeZip, type ZipEntry, type ZipPart } from './zip.ts';

export interface SealedBundle {
  readonly bytes: Uint8Array;
  /** Of the signed list: names the bundle. */
  readonly manifestSha256: string;
}

export type BundleFacts = Pick<Manifest, 'product' | 'examinedAt' | 'signedAt' | 'item'>;

/** The same files, facts and key give the same bytes. @param files - in the order in which the archive lists them. */
export function sealBundle(
  files: readonly ZipEntry[],
  facts: BundleFacts,
  signer: Signer,
): SealedBundle {
  const listed = [{ name: publicKeyFile, bytes: Buffer.from(signer.pem) }, ...files];
  const all = [{ name: sumsFile, bytes: Buffer.from(sumsOf(listed)) }, ...listed];
  const manifest = canonicalBytes({
    format: bundleFormat,
    ...facts,
    key: { algorithm: 'Ed25519', fingerprint: signer.fingerprint },
    files: all.map(({ name, bytes }) => {
      return { name, sizeBytes: bytes.length, sha256: sha256Of(bytes) };
    }),
  } satisfies Manifest);
  const parts = archiveOf({ manifest, signature: signer.sign(manifest), files: all }, facts);
  const bytes = Buffer.concat(parts.map((part) => part.bytes));
  return { bytes, manifestSha256: sha256Of(manifest) };
}

interface Sealed {
  readonly manifest: Uint8Array;
  readonly signature: Uint8Array;
  /** In the order of the manifest. */
  readonly files: readonly ZipEntry[];
}

/** The one archive that these files make. */
export function archiveOf(
  { manifest, signature, files }: Sealed,
  { examinedAt }: Pick<Manifest, 'examinedAt'>,
): readonly ZipPart[] {
  const first = [
    { name: manifestFile, bytes: manifest },
    { name: signatureFile, bytes: signature },
  ];
  return writeZip([...first, ...files], new Date(examinedAt));
}

/** As `sha256sum --check` reads it. */
function sumsOf(files: readonly ZipEntry[]): string {
  return files.map(({ name, bytes }) => `${sha256Of(bytes)}  ${name}\n`).join('');
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

// Ed25519 (RFC 8032) signatures, and how a key is named: by the SHA-256 of its public half.

export interface PublicKey {
  /** SubjectPublicKeyInfo as PEM, one line end at the end. */
  readonly pem: string;
  /** SHA-256 of SubjectPublicKeyInfo in DER, lower-case hex. */
  readonly fingerprint: string;
}

export interface Signer extends PublicKey {
  /** 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
}

export function createSigner(privateKey: KeyObject): Signer {
  return {
    ...publicKeyOf(createPublicKey(privateKey)),
    sign: (bytes) => sign(null, bytes, privateKey),
  };
}

/** The key in a PEM text; null for what is no public Ed25519 key, and for a private one: nobody should hand that on. */
export function readPublicKey(pem: string): PublicKey | null {
  if (/PRIVATE KEY/.test(pem)) return null;
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? publicKeyOf(key) : null;
  } catch {
    return null;
  }
}

export function isSignedBy(
  { pem }: PublicKey,
  { bytes, signature }: { readonly bytes: Uint8Array; readonly signature: Uint8Array },
): boolean {
  return verify(null, bytes, pem, signature);
}

export function publicKeyOf(key: KeyObject): PublicKey {
  const der = key.export({ type: 'spki', format: 'der' });
  return {
    pem: key.export({ type: 'spki', format: 'pem' }).toString(),
    fingerprint: createHash('sha256').update(der).digest('hex'),
  };
}
