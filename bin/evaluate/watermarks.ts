/**
 * How often the open watermark and visible marks are detected: falsely in photographs as they are, and correctly in the same
 * photographs with each mark added and in pictures that carry a visible one, saved and scaled in several ways.
 * `node bin/evaluate/watermarks.ts LIST [MARKED [VISIBLE]]`: a file with one path per line, the number of marked copies that
 * are made, and another such file, of pictures with a visible mark.
 */

import { readFileSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import { decodePicture } from '../../src/image/decode.ts';
import { localLimits, type Picture } from '../../src/image/picture.ts';
import { deviationsOfStar, readVisibleMark } from '../../src/provenance/visible-mark.ts';
import { marks, readWatermark } from '../../src/provenance/watermark.ts';
import { withDrawing, withSquares } from '../../test/fixtures/visible-mark.ts';
import { withWatermark } from '../../test/fixtures/watermark.ts';

type Save = readonly [name: string, quality: number, share: number];

const saves: readonly Save[] = [
  ['PNG', 0, 1],
  ['JPEG 95', 95, 1],
  ['JPEG 90', 90, 1],
  ['JPEG 75', 75, 1],
];
const visibleSaves: readonly Save[] = [
  ['as is', 0, 1],
  ['JPEG 75', 75, 1],
  ['JPEG 60', 60, 1],
  ['half size, JPEG 80', 80, 0.5],
  ['a third of the size, JPEG 80', 80, 1 / 3],
];
const readers = { watermark: readWatermark, 'visible mark': readVisibleMark };

const [list = '', marked = '60', visible] = process.argv.slice(2);
const hits = new Map<string, number>();
const falseAlarms: string[] = [];
const times = new Map<string, number>();
let [read, copies, megapixels, highest] = [0, 0, 0, 0];

for (const file of readList(list)) {
  const bytes = readFileSync(file);
  const picture = await decodePicture(bytes, { limits: localLimits }).catch(() => null);
  if (picture === null) continue;
  megapixels += (picture.facts.width * picture.facts.height) / 1e6;
  read++;
  for (const [name, reader] of Object.entries(readers)) {
    const began = performance.now();
    if (reader(picture).length > 0) falseAlarms.push(`${name}: ${file}`);
    times.set(name, (times.get(name) ?? 0) + performance.now() - began);
  }
  highest = Math.max(highest, deviationsOfStar(picture));
  if (copies < Number(marked)) {
    copies++;
    await countHits(bytes);
  }
}
console.log(`${falseAlarms.length} false alarms in ${read} photographs`, falseAlarms);
console.log(`at most ${highest.toFixed(2)} standard deviations towards a star`);
for (const [name, milliseconds] of times)
  console.log(
    `${name}: ${(milliseconds / read).toFixed(1)} ms a picture, ${(milliseconds / megapixels).toFixed(1)} ms a megapixel`,
  );
console.log(`read of ${copies} marked copies each:`, Object.fromEntries(hits));

if (visible !== undefined) {
  hits.clear();
  const files = readList(visible);
  for (const file of files) {
    const upright = sharp(readFileSync(file)).autoOrient().flatten({ background: 'white' });
    await countRead('visible mark', upright, visibleSaves, hasVisibleMark);
  }
  console.log(`read of ${files.length} pictures with a visible mark:`, Object.fromEntries(hits));
}

function hasVisibleMark(picture: Picture): boolean {
  return readVisibleMark(picture).length > 0;
}

function readList(file: string): readonly string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}

/** Uses a copy of one megapixel, as generators make them. */
async function countHits(photograph: Buffer): Promise<void> {
  const small = sharp(photograph)
    .resize(1024, 1024, { fit: 'outside' })
    .removeAlpha()
    .toColourspace('srgb');
  const { data, info } = await small.raw().toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: 3 } as const;
  for (const { generator, bits } of marks) {
    const isRead = (copy: Picture) => readWatermark(copy)[0]?.generator === generator;
    await countRead(generator, sharp(withWatermark(data, info, bits), { raw }), saves, isRead);
  }
  const drawn = {
    'Google Gemini': withDrawing(data, info, { side: 48, margin: 32 }),
    'Google Gemini, later': withDrawing(data, info, { side: 48, margin: 96, opacity: 0.3 }),
    'DALL-E 2': withSquares(data, info),
  };
  for (const [name, rgb] of Object.entries(drawn)) {
    const isRead = (copy: Picture) => name.startsWith(readVisibleMark(copy)[0]?.generator ?? '-');
    await countRead(name, sharp(rgb, { raw }), visibleSaves, isRead);
  }
}

async function countRead(
  name: string,
  image: Sharp,
  ways: readonly Save[],
  isRead: (copy: Picture) => boolean,
): Promise<void> {
  const png = await image.png().toBuffer();
  const { width } = await sharp(png).metadata();
  for (const [way, quality, share] of ways) {
    const scaled = share === 1 ? sharp(png) : sharp(png).resize(Math.round(share * width));
    const bytes = quality === 0 ? png : await scaled.jpeg({ quality }).toBuffer();
    const copy = await decodePicture(bytes, { limits: localLimits });
    const key = `${name}, ${way}`;
    hits.set(key, (hits.get(key) ?? 0) + (isRead(copy) ? 1 : 0));
  }
}
