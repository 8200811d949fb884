/** Bundles repacked with another library, as other programs would, or in an older format. */

import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import {
  canonicalBytes,
  openZip,
  parseManifest,
  type ZipEntry,
} from '../../../src/evidence/bundle-format.ts';
import { openArchive } from '../../../src/evidence/archive.ts';
import type { Signer } from '../../../src/evidence/sign.ts';

export type Files = Readonly<Record<string, Uint8Array>>;

export async function readEntries(bundle: Uint8Array): Promise<Files> {
  const archive = await openArchive(bundle);
  const entries = archive!.names.map(async (name) => {
    return [name, (await archive!.content(name))!.bytes] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

export async function repack(
  files: Files,
  { compress = false, twice = '' }: { readonly compress?: boolean; readonly twice?: string } = {},
): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of Object.entries(files)) {
    const times = name === twice ? 2 : 1;
    for (let n = 0; n < times; n++) zip.addBuffer(Buffer.from(bytes), name, { compress });
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** The same bundle in a format without compression. */
export async function inOldFormat(
  bundle: Uint8Array,
  format: 'forensics-evidence-bundle/1' | 'forensics-evidence-bundle/2',
  signer: Signer,
): Promise<Buffer> {
  const { 'manifest.json': list, ...entries } = await readEntries(bundle);
  const written = parseManifest(list!)!;
  const stored = written.files.map((file) => ({ ...file, packedSha256: undefined }));
  const manifest = canonicalBytes({ ...written, format, files: stored });
  const files = written.files.map(({ name }) => ({ name, bytes: entries[name]! }));
  return archiveOf(manifest, signer.sign(manifest), files, written);
}

/** The archive that our writer makes of these files. */
export function archiveOf(
  manifest: Uint8Array,
  signature: Uint8Array,
  files: readonly ZipEntry[],
  { examinedAt }: { readonly examinedAt: string },
): Buffer {
  const zip = openZip(new Date(examinedAt));
  const seal = { 'manifest.json': manifest, 'manifest.sig': signature };
  const entries = [...Object.entries(seal).map(([name, bytes]) => ({ name, bytes })), ...files];
  return Buffer.concat([...entries.flatMap(zip.add), ...zip.end().map(({ bytes }) => bytes)]);
}
