/**
 * Drawn landscapes for the manual's images. Unlike the scenes of the tests they have a photograph's
 * look: fractal terrain in perspective under clouds, haze, and the noise and colour filter of a sensor.
 */

import { createRandom } from '../../test/fixtures/noise.ts';
import { demosaic, fromScene } from '../../test/fixtures/pictures.ts';

type Random = () => number;
type Colour = readonly [number, number, number];

/** Width and height of the terrain, which repeats. */
const side = 1024;
const farthest = 900;
const [grass, soil, rock]: readonly Colour[] = [
  [70, 85, 40],
  [125, 105, 75],
  [110, 100, 90],
];
const haze: Colour = [185, 200, 220];

interface Terrain {
  readonly height: Float32Array;
  readonly colour: Float32Array;
}

/** As PNG. */
export async function landscapePng(options: {
  readonly width: number;
  readonly height: number;
  readonly seed: number;
}): Promise<Buffer> {
  const { width, height } = options;
  const rgb = demosaic(expose(createRandom(options.seed), width, height), width, height);
  return fromScene({ width, height, rgb }).png({ compressionLevel: 1 }).toBuffer();
}

/** One colour sample per pixel behind an RGGB filter, with shot noise and darker corners. */
function expose(random: Random, width: number, height: number): Float32Array {
  const light = drawLight(random, width, height);
  const mosaic = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const radius = Math.hypot(x - width / 2, y - height / 2) / Math.hypot(width / 2, height / 2);
      const value = light[3 * at + (x & 1) + (y & 1)]! * (1 - 0.25 * radius ** 2);
      mosaic[at] = value + 1.2 * gaussian(random) * Math.sqrt(0.9 + 0.035 * value);
    }
  }
  return mosaic;
}

/** Red, green and blue of each pixel, 0..255. Each column is filled from the nearest point upwards. */
function drawLight(random: Random, width: number, height: number): Float32Array {
  const terrain = createTerrain(random);
  const horizon = Math.floor(height * (0.25 + 0.15 * random()));
  const light = drawSky(random, width, height, horizon);
  const camera = sample(terrain.height, side / 2, side / 2) + 95;
  for (let column = 0; column < width; column++) {
    const direction = (column / width - 0.5) * 1.05;
    let filledTo = height;
    for (let distance = 8, step = 0.35; distance < farthest; distance += step, step *= 1.0035) {
      const [x, y] = [side / 2 + distance * direction, side / 2 + distance];
      const drop = camera - sample(terrain.height, x, y);
      const row = Math.max(0, Math.floor((drop / distance) * height * 0.85 + horizon));
      const clear = Math.exp(-distance / 650);
      for (; filledTo > row; filledTo--) {
        const at = 3 * ((filledTo - 1) * width + column);
        for (let part = 0; part < 3; part++) {
          const ground = sample(terrain.colour, x, y, 3, part);
          light[at + part] = ground * clear + haze[part]! * (1 - clear);
        }
      }
    }
  }
  return light;
}

function drawSky(random: Random, width: number, height: number, horizon: number): Float32Array {
  const clouds = fractal(random, 0.62);
  const sky = new Float32Array(3 * width * height);
  const [top, bottom, cloud]: readonly Colour[] = [
    [95, 140, 205],
    [190, 208, 228],
    [235, 236, 240],
  ];
  for (let y = 0; y < height; y++) {
    const low = Math.min(1, y / horizon);
    const away = 9000 / Math.max(horizon + 120 - y, 60);
    for (let x = 0; x < width; x++) {
      const cover = 0.5 * sample(clouds, ((x - width / 2) * away) / 900, away * 2) + 0.1;
      const share = Math.min(1, Math.max(0, cover)) * (1 - 0.8 * low ** 4);
      for (let part = 0; part < 3; part++) {
        const clear = top![part]! * (1 - low) + bottom![part]! * low;
        sky[3 * (y * width + x) + part] = clear * (1 - share) + cloud![part]! * share;
      }
    }
  }
  return sky;
}

/** Hills with grass, soil where it is dry and rock where it is steep, lit from one side. */
function createTerrain(random: Random): Terrain {
  const [hills, stones, dryness] = [0.47, 0.87, 0.7].map((roughness) => fractal(random, roughness));
  const height = hills!.map((value, at) => 60 * value + 1.2 * stones![at]!);
  const colour = new Float32Array(3 * side * side);
  const sun = 2 * Math.PI * random();
  for (let at = 0; at < height.length; at++) {
    const right = (at + 1) % height.length;
    const below = (at + side) % height.length;
    const [dx, dy] = [height[right]! - height[at]!, height[below]! - height[at]!];
    const facing = 0.6 * (dx * Math.cos(sun) + dy * Math.sin(sun));
    const lit = clamp((1 + facing) / Math.sqrt(1 + (dx * dx + dy * dy) / 2), 0.08, 1.6);
    const steep = clamp(0.9 * Math.hypot(dx, dy) - 0.4, 0, 1);
    const dry = clamp(0.5 + 0.5 * dryness![at]!, 0, 1);
    const texture = 1 + 0.22 * stones![at]!;
    for (let part = 0; part < 3; part++) {
      const flat = grass![part]! * (1 - dry) + soil![part]! * dry;
      colour[3 * at + part] = (flat * (1 - steep) + rock![part]! * steep) * texture * lit;
    }
  }
  return { height, colour };
}

/**
 * Octaves of value noise, each with cells half as wide and `roughness` times as high: mean 0, standard deviation 1.
 */
function fractal(random: Random, roughness: number): Float32Array {
  const sum = new Float32Array(side * side);
  for (let cell = side / 4, weight = 1; cell >= 1; cell /= 2, weight *= roughness) {
    const count = side / cell;
    const nodes = Float32Array.from({ length: count * count }, () => weight * (random() - 0.5));
    for (let at = 0; at < sum.length; at++) {
      const [x, y] = [(at % side) / cell, Math.floor(at / side) / cell];
      sum[at]! += sample(nodes, x, y, 1, 0, count);
    }
  }
  const mean = sum.reduce((total, value) => total + value, 0) / sum.length;
  const variance = sum.reduce((total, value) => total + (value - mean) ** 2, 0) / sum.length;
  return sum.map((value) => (value - mean) / Math.sqrt(variance));
}

/** Bilinear; the field of `width` by `width` repeats in both directions. */
function sample(
  field: Float32Array,
  x: number,
  y: number,
  parts = 1,
  part = 0,
  width = side,
): number {
  const [left, up] = [Math.floor(x), Math.floor(y)];
  const [right, down] = [x - left, y - up];
  const at = (column: number, row: number) =>
    field[parts * ((row & (width - 1)) * width + (column & (width - 1))) + part]!;
  const upper = at(left, up) * (1 - right) + at(left + 1, up) * right;
  const lower = at(left, up + 1) * (1 - right) + at(left + 1, up + 1) * right;
  return upper * (1 - down) + lower * down;
}

function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
