import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { resampling } from '../../../src/detectors/resampling.ts';
import { createRandom } from '../../fixtures/noise.ts';
import { drawScene, fromScene, type Scene } from '../../fixtures/pictures.ts';
import { inputOf, worded } from './input.ts';

const size = { width: 512, height: 448 };
const box = { left: 256, top: 192, width: 192, height: 192 };

async function examine(file: Sharp) {
  return worded(resampling.examine(await inputOf(file)));
}

async function sight(file: Sharp) {
  const answer = await examine(file);
  if (!('map' in answer)) throw new Error('skipped');
  return answer;
}

/** A drawn scene whose texture, drawn pixel by pixel, is lost in noise: it has regular periods of its own. */
function photograph(seed: number): Scene {
  const random = createRandom(seed);
  const scene = drawScene({ ...size, seed });
  const noise = () => 3 * (random() + random() + random() - 1.5);
  const rgb = scene.rgb.map((value) => Math.min(255, Math.max(0, Math.round(value + noise()))));
  return { ...scene, rgb };
}

/** The part of another scene, enlarged by `scale`, laid into the box. */
async function withEnlarged(seed: number, scale: number): Promise<Sharp> {
  const part = await fromScene(photograph(seed + 50))
    .extract({
      left: 40,
      top: 40,
      width: Math.round(box.width / scale),
      height: Math.round(box.height / scale),
    })
    .png()
    .toBuffer();
  const enlarged = await enlarge(part, box);
  return fromScene(photograph(seed))
    .composite([{ input: enlarged, ...box }])
    .png();
}

async function enlarge(png: Buffer, { width, height }: { width: number; height: number }) {
  return sharp(png).resize({ width, height, kernel: 'cubic', fit: 'fill' }).png().toBuffer();
}

describe.each([2, 3])('scene %i', (seed) => {
  test.each([1.25, 1.4])('points at a region that was enlarged by %f', async (scale) => {
    const { finding, map } = await sight(await withEnlarged(seed, scale));

    const { measures } = finding;
    expect(measures['regionLeft']).toBeGreaterThanOrEqual(box.left - 64);
    expect(measures['regionTop']).toBeGreaterThanOrEqual(box.top - 64);
    expect(measures['regionShare']).toBeGreaterThan(0.02);
    expect(Math.max(...map.values)).toBeCloseTo(0.9, 5);
    expect(finding).toMatchObject({
      score: 0.5,
      speaksFor: 'neither',
      strength: 'none',
      statement: { en: expect.stringContaining('% of the picture') },
    });
  });

  test('says nothing about its untouched twin', async () => {
    const { finding, map } = await sight(fromScene(photograph(seed)).png());

    expect(finding.measures).not.toHaveProperty('regionShare');
    expect(new Set(map.values)).toEqual(new Set([0.5]));
  });

  test('a picture that was scaled as a whole is told so, and no place is pointed at', async () => {
    const png = await fromScene(photograph(seed)).png().toBuffer();

    const { finding, map } = await sight(sharp(await enlarge(png, { width: 717, height: 627 })));

    expect(finding.statement.en).toContain('as a whole');
    expect(new Set(map.values)).toEqual(new Set([0.5]));
  });
});

test.each([
  ['is too small', drawScene({ width: 127, height: 300, seed: 1 }), 100, 'too small', 'zu klein'],
  ['was compressed', drawScene({ ...size, seed: 1 }), 89, 'quality 90', 'Qualität 90'],
])('a picture that %s is skipped with a reason', async (_, scene, quality, en, de) => {
  expect(await examine(fromScene(scene).jpeg({ quality }))).toEqual({
    method: 'resampling',
    reason: { en: expect.stringContaining(en), de: expect.stringContaining(de) },
  });
});
