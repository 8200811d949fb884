/** Puts files into a bundle that nobody can change unseen: checksums, their list, the signature over it, one archive. */

import { createHash } from 'node:crypto';
import { canonicalBytes } from './canonical-json.ts';
import { bundleFormat, manifestFile, publicKeyFile, signatureFile, sumsFile } from './layout.ts';
import type { Manifest } from './manifest.ts';
import type { Signer } from './signer.ts';
import { writeZip, type ZipEntry, type ZipPart } from './zip-writer.ts';

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
