/** Bundles repacked with another library, as other programs would. */

import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { readZip } from '../../../src/evidence/read-zip.ts';

export type Files = Readonly<Record<string, Uint8Array>>;

export async function readEntries(bundle: Uint8Array): Promise<Files> {
  const entries = await readZip(bundle, { maxEntries: 100, maxBytes: 1e9 });
  return Object.fromEntries(entries.map(({ name, bytes }) => [name, bytes]));
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
