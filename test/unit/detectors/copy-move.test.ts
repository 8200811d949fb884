import sharp, { type Sharp } from 'sharp';
import { expect, test } from 'vitest';
import { copyMove } from '../../../src/detectors/copy-move/copy-move.ts';
import type { CellMap } from '../../../src/detectors/regions.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import { defaultLimits } from '../../../src/image/picture.ts';
import { createRandom, fractalTile, tileSide } from '../../fixtures/noise.ts';
import { fromScene } from '../../fixtures/pictures.ts';
import { chart, textPage } from './drawings.ts';
import { inputWith, worded } from './input.ts';

/** Allows smaller pictures than the product does by default. */
const limits = { ...defaultLimits, minSidePx: 32 };

async function examine(file: Sharp) {
  const picture = await decodePicture(await file.toBuffer(), { limits });
  return worded(copyMove.examine(inputWith(picture)));
}

async function findingIn(file: Sharp) {
  const answer = await examine(file);
  if (!('map' in answer)) throw new Error('skipped');
  return answer;
}

const stones = new Map<number, Promise<Buffer>>();

/** Stone-like colours and grain without repetition, 400 by 300 pixels; drawn once for all tests. */
function stone(seed: number): Promise<Buffer> {
  const drawn = stones.get(seed) ?? drawStone(seed);
  stones.set(seed, drawn);
  return drawn;
}

async function drawStone(seed: number): Promise<Buffer> {
  const random = createRandom(seed);
  const tiles = Array.from({ length: 3 }, () => fractalTile(random));
  const side = tileSide;
  const rgb = new Uint8Array(3 * side * side);
  for (let at = 0; at < side * side; at++) {
    for (let c = 0; c < 3; c++) {
      rgb[3 * at + c] = 128 + 60 * tiles[0]![at]! + 15 * tiles[c]![at]!;
    }
  }
  const large = fromScene({ width: side, height: side, rgb }).resize(400, 300, { fit: 'fill' });
  const { data } = await large.raw().toBuffer({ resolveWithObject: true });
  const grainy = data.map((value) => Math.min(255, Math.max(0, value + 8 * (random() - 0.5))));
  return fromScene({ width: 400, height: 300, rgb: grainy }).png().toBuffer();
}

const source = { left: 30, top: 40, width: 100, height: 80 };
const target = { left: 250, top: 180 };

/** Copies the part at `source` to `target` with `change` applied. */
async function withCopy(picture: Buffer, change: (part: Sharp) => Sharp): Promise<Sharp> {
  const part = await sharp(picture).extract(source).ensureAlpha().png().toBuffer();
  const changed = await change(sharp(part)).png().toBuffer();
  return sharp(picture).composite([{ input: changed, ...target }]);
}

const turned = (part: Sharp, degrees: number) =>
  part.rotate(degrees, { background: { r: 0, g: 0, b: 0, alpha: 0 } });
const sized = (part: Sharp, factor: number) =>
  part.resize(Math.round(source.width * factor), Math.round(source.height * factor));

function valueAt({ cellPx, columns, values }: CellMap, x: number, y: number): number {
  return values[Math.floor(y / cellPx) * columns + Math.floor(x / cellPx)]!;
}

function shareMarked({ values }: CellMap): number {
  return values.filter((value) => value > 0.5).length / values.length;
}

const middle = { x: source.left + source.width / 2, y: source.top + source.height / 2 };

/** Either place may come first, so the motion may be inverted. */
function motionFrom(measures: Readonly<Record<string, number>>) {
  const [scale, turn] = [measures['scale']!, measures['turnDegrees']!];
  const isForth = measures['offsetX']! > 0;
  return {
    scale: Math.round(20 * (isForth ? scale : 1 / scale)) / 20,
    turnDegrees: Math.round(isForth ? turn : -turn) + 0,
    isMirrored: measures['isMirrored']!,
  };
}

test.each<[string, (part: Sharp) => Sharp, Record<string, number>]>([
  ['only moved', (part) => part, { turnDegrees: 0, scale: 1, isMirrored: 0 }],
  ['turned by 30 degrees', (part) => turned(part, 30), { turnDegrees: 30, scale: 1 }],
  ['turned by 90 degrees', (part) => turned(part, 90), { turnDegrees: 90, scale: 1 }],
  ['turned by half', (part) => turned(part, 180), { scale: 1, isMirrored: 0 }],
  ['made smaller', (part) => sized(part, 0.8), { turnDegrees: 0, scale: 0.8 }],
  ['made larger', (part) => sized(part, 1.2), { turnDegrees: 0, scale: 1.2 }],
  ['turned and enlarged', (part) => turned(sized(part, 1.2), 20), { turnDegrees: 20, scale: 1.2 }],
  ['mirrored', (part) => part.flop(), { scale: 1, isMirrored: 1 }],
])('a copied part %s is found in both places', async (_, change, motion) => {
  const file = await withCopy(await stone(1), change);

  const { finding, map } = await findingIn(file.jpeg({ quality: 90 }));

  expect(finding).toMatchObject({ method: 'copy-move', speaksFor: 'fake' });
  expect(valueAt(map, middle.x, middle.y)).toBe(Math.fround(finding.score));
  expect(valueAt(map, target.left + 50, target.top + 40)).toBe(Math.fround(finding.score));
  expect(valueAt(map, 180, 250)).toBe(Math.fround(1 - finding.score));
  expect(shareMarked(map)).toBeLessThan(0.22);
  expect(motionFrom(finding.measures)).toMatchObject(motion);
});

test('a part mirrored beside itself is found', async () => {
  const whole = sharp(await stone(1));
  const part = await whole.clone().extract(source).flop().png().toBuffer();
  const file = whole.composite([{ input: part, left: target.left, top: source.top }]);

  const { finding } = await findingIn(sharp(await file.png().toBuffer()).jpeg({ quality: 75 }));

  expect(finding).toMatchObject({ speaksFor: 'fake', strength: 'moderate' });
  expect(finding.measures).toMatchObject({ isMirrored: 1, onwardCorrelation: 0.1 });
});

test('a copy is still found after a save as JPEG 75, and at half size', async () => {
  const copied = await (await withCopy(await stone(1), (part) => part)).png().toBuffer();

  const saved = await findingIn(sharp(copied).jpeg({ quality: 75 }));
  const halved = await findingIn(sharp(copied).resize(200, 150).png());

  expect(saved.finding).toMatchObject({ speaksFor: 'fake', strength: 'moderate' });
  expect(halved.finding).toMatchObject({ speaksFor: 'fake', strength: 'moderate' });
});

test('a copy in a picture of 3 megapixels is found in the right place', async () => {
  const large = sharp(await stone(1)).resize(2000, 1500, { kernel: 'cubic' });
  const part = large.clone().extract({ left: 150, top: 200, width: 500, height: 400 });
  const input = await part.png().toBuffer();

  const { finding, map } = await findingIn(
    large.composite([{ input, left: 1250, top: 900 }]).jpeg({ quality: 90 }),
  );

  expect(finding).toMatchObject({ speaksFor: 'fake', strength: 'moderate' });
  expect(map).toMatchObject({ columns: Math.ceil(2000 / map.cellPx) });
  expect(valueAt(map, 400, 400)).toBeGreaterThan(0.9);
  expect(valueAt(map, 1500, 1100)).toBeGreaterThan(0.9);
  expect(finding.measures['regionWidth']).toBeGreaterThan(400);
  expect(finding.measures['readScale']).toBeCloseTo(Math.sqrt(400_000 / 3_000_000), 3);
});

test('says what was done, and that copy and source cannot be distinguished', async () => {
  const file = await withCopy(await stone(1), (part) => turned(part, 30));

  const { finding } = await findingIn(file.png());

  expect(finding.statement.en).toMatch(
    /^Two regions \(the clearest of 2 such pairs; the method’s map shows all\), one .* and one .*, match the way an original and its copy would, one turned by 30 degrees; this alone does not show which is the original\.$/,
  );
  expect(finding.statement.de).toMatch(
    /^Zwei Bereiche \(das auffälligste von 2 solchen Paaren; die Karte der Methode zeigt alle\), .* gleichen einander wie Original und Kopie, einer um 30 Grad gedreht;/,
  );
});

/** A facade of similar windows, each with its own brightness and sensor grain. */
function windows(): Sharp {
  const random = createRandom(5);
  const light = Array.from({ length: 100 }, () => 60 + 60 * random());
  const rgb = new Uint8Array(3 * 400 * 300);
  for (let pixel = 0; pixel < 400 * 300; pixel++) {
    const [x, y] = [pixel % 400, Math.floor(pixel / 400)];
    const isWindow = x % 40 > 10 && x % 40 < 32 && y % 50 > 12 && y % 50 < 40 && x % 40 !== 21;
    const wall = 170 + 0.05 * x - 0.04 * y;
    const value = isWindow ? light[Math.floor(x / 40) + 10 * Math.floor(y / 50)]! : wall;
    rgb.fill(value + 10 * (random() - 0.5), 3 * pixel, 3 * pixel + 3);
  }
  return fromScene({ width: 400, height: 300, rgb }).blur(0.7);
}

/** Four large identical windows. */
function fourWindows(): Sharp {
  const random = createRandom(8);
  const rgb = new Uint8Array(3 * 800 * 300);
  for (let pixel = 0; pixel < 800 * 300; pixel++) {
    const [x, y] = [pixel % 800, Math.floor(pixel / 800)];
    const [u, v] = [x % 200, y];
    const isFrame = u > 40 && u < 160 && v > 40 && v < 260;
    const isPane = isFrame && u > 48 && u < 152 && v > 48 && v < 252;
    const isBar = Math.abs(u - 100) < 4 || Math.abs(v - 110) < 4;
    const value = isPane && !isBar ? 70 + 0.02 * x : isFrame ? 220 : 165 - 0.02 * x;
    rgb.fill(value + 8 * (random() - 0.5), 3 * pixel, 3 * pixel + 3);
  }
  return fromScene({ width: 800, height: 300, rgb }).blur(0.7);
}

/** A shore and its reflection in still water, slightly darker and softer. */
async function lake(): Promise<Sharp> {
  const shore = sharp(await stone(6)).resize(800, 600);
  const image = sharp(await shore.png().toBuffer())
    .flip()
    .blur(0.6)
    .linear(0.9);
  const above = await shore.extend({ bottom: 600, background: 'black' }).png().toBuffer();
  return sharp(above).composite([{ input: await image.png().toBuffer(), left: 0, top: 600 }]);
}

test.each<[string, () => Sharp | Promise<Sharp>]>([
  ['four large windows', fourWindows],
  ['a lake with its mirror image', lake],
  ['stone without repetition', async () => sharp(await stone(1))],
  ['a facade of similar windows', windows],
  ['a page of text', () => fromScene(textPage())],
  ['a chart', () => fromScene(chart())],
])('%s gives no more than a weak finding', async (_, draw) => {
  const picture = await draw();

  const { finding } = await findingIn(picture.jpeg({ quality: 90 }));

  expect(['none', 'weak']).toContain(finding.strength);
});

test('a picture without repetition has an empty map and says so', async () => {
  const { finding, map } = await findingIn(sharp(await stone(4)).jpeg({ quality: 85 }));

  expect(finding).toMatchObject({ speaksFor: 'neither', strength: 'none' });
  expect(finding.statement.en).toBe(
    'No two regions of the picture are so similar that one must be a copy of the other.',
  );
  expect(shareMarked(map)).toBe(0);
});

test('in a partly smooth picture only the rest is said to contain no copy', async () => {
  const input = {
    create: { width: 400, height: 160, channels: 3, background: '#5a5a5a' },
  } as const;
  const picture = sharp(await stone(4)).composite([{ input, left: 0, top: 140 }]);

  const { finding } = await findingIn(picture.png());

  expect(finding.strength).toBe('none');
  expect(finding.statement.en).toMatch(/enough structure to be compared \(about 4\d%\)/);
  expect(finding.statement.de).toMatch(/genug Struktur hat \(etwa 4\d %\)/);
});

test.each([
  ['below 64 pixels', { width: 200, height: 60 }, 'too small'],
  ['of one colour', { width: 200, height: 200 }, 'too smooth'],
])('a picture %s is skipped with a reason', async (_, size, reason) => {
  const rgb = new Uint8Array(3 * size.width * size.height).fill(120);

  expect(await examine(fromScene({ ...size, rgb }).png())).toEqual({
    method: 'copy-move',
    reason: { en: expect.stringContaining(reason), de: expect.stringContaining('zu ') },
  });
});
