/**
 * How often the open watermark is read: falsely, of photographs as they are, and rightly, of the same with each mark, as PNG and
 * as JPEG of three qualities. `node bin/evaluate/watermarks.ts LIST [MARKED]`: a file with a path a line, and of how many
 * of these marked copies are made.
 */

import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { decodePicture } from '../../src/image/decode.ts';
import { localLimits } from '../../src/image/picture.ts';
import { marks, readWatermark } from '../../src/provenance/watermark.ts';
import { withWatermark } from '../../test/fixtures/watermark.ts';

const saves = { png: 0, 'JPEG 95': 95, 'JPEG 90': 90, 'JPEG 75': 75 } as const;

const [list = '', marked = '60'] = process.argv.slice(2);
const files = readFileSync(list, 'utf8').split('\n').filter(Boolean);
const falseAlarms: string[] = [];
const hits = new Map<string, number>();
let [read, copies, milliseconds, megapixels] = [0, 0, 0, 0];

for (const file of files) {
  const bytes = readFileSync(file);
  const picture = await decodePicture(bytes, { limits: localLimits }).catch(() => null);
  if (picture === null) continue;
  const began = performance.now();
  const found = readWatermark(picture);
  milliseconds += performance.now() - began;
  megapixels += (picture.facts.width * picture.facts.height) / 1e6;
  read++;
  if (found.length > 0) falseAlarms.push(file);
  if (copies < Number(marked)) {
    copies++;
    await countHits(bytes);
  }
}
console.log(`${falseAlarms.length} false alarms in ${read} photographs`, falseAlarms);
console.log(`${(milliseconds / megapixels).toFixed(1)} ms a megapixel`);
console.log(`read of ${copies} marked copies each:`, Object.fromEntries(hits));

/** Of a copy of a megapixel, as generators make them. */
async function countHits(photograph: Buffer): Promise<void> {
  const small = sharp(photograph)
    .resize(1024, 1024, { fit: 'outside' })
    .removeAlpha()
    .toColourspace('srgb');
  const { data, info } = await small.raw().toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: 3 } as const;
  for (const { generator, bits } of marks) {
    const image = sharp(withWatermark(data, info, bits), { raw });
    for (const [save, quality] of Object.entries(saves)) {
      const bytes = quality === 0 ? image.png() : image.jpeg({ quality });
      const copy = await decodePicture(await bytes.toBuffer(), { limits: localLimits });
      const isRead = readWatermark(copy)[0]?.generator === generator;
      const name = `${generator}, ${save}`;
      hits.set(name, (hits.get(name) ?? 0) + (isRead ? 1 : 0));
    }
  }
}
