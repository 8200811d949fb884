import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { extract, pack } from 'tar-stream';
import {
  manifestText,
  names,
  parseManifest,
  sumLine,
} from '../../../../src/ops/backup/contents.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The backup as if `name` had never been in it, with all hashes correct. */
export async function withoutEntry(backup: Buffer, name: string): Promise<Buffer> {
  const tar = pack();
  let [removedBytes, sums, manifest] = [0, '', ''];
  const texts: Readonly<Record<string, (text: string) => string>> = {
    [names.sums]: (text) =>
      (sums = text
        .split('\n')
        .filter((line) => !line.endsWith(name))
        .join('\n')),
    [names.manifest](text) {
      const { files, bytes, ...rest } = parseManifest(text)!;
      const left = { files: files - 1, bytes: bytes - removedBytes, sums: sha256(sums) };
      return (manifest = manifestText({ ...rest, ...left }));
    },
    [names.manifestSum]: () => sumLine(sha256(manifest), names.manifest),
  };
  for await (const entry of Readable.from([backup]).pipe(extract())) {
    const { header } = entry;
    const content = await buffer(entry);
    if (header.name === name) removedBytes = content.length;
    else {
      const changed = texts[header.name]?.(content.toString()) ?? content;
      const { mtime, mode } = header;
      tar.entry({ name: header.name, mtime, mode }, changed);
    }
  }
  tar.finalize();
  return buffer(tar);
}
