import { expect, test } from 'vitest';
import { colourCount, createColourMap } from '../../../src/render/heatmap/colour-map.ts';

type Triple = readonly [number, number, number];

const map = createColourMap();
const colour = (entry: number): Triple => [
  map[3 * entry]!,
  map[3 * entry + 1]!,
  map[3 * entry + 2]!,
];

test('the colours lie on the path at equal distances', () => {
  expect(Buffer.from(map)).toEqual(Buffer.from(drawColours()));
});

test('toOklab gives the published values for white and the three primaries', () => {
  // Ottosson's reference table is in XYZ; these are the sRGB values of CSS Color 4, section on
  // oklab(), to 3 digits.
  expect(rounded([255, 255, 255])).toEqual([1, 0, 0]);
  expect(rounded([255, 0, 0])).toEqual([0.628, 0.225, 0.126]);
  expect(rounded([0, 255, 0])).toEqual([0.866, -0.234, 0.179]);
  expect(rounded([0, 0, 255])).toEqual([0.452, -0.032, -0.312]);
});

test('lightness increases from each colour to the next', () => {
  const falls = Array.from({ length: colourCount - 1 }, (_, i) => i).filter(
    (i) => toOklab(colour(i + 1))[0] <= toOklab(colour(i))[0],
  );

  expect(falls).toEqual([]);
});

test('grey conversion keeps the order of the colours', () => {
  const falls = Array.from({ length: colourCount - 1 }, (_, i) => i).filter(
    (i) => grey(colour(i + 1)) <= grey(colour(i)),
  );

  expect(falls).toEqual([]);
});

test('equal steps in value are equal steps in OKLab, within 4%', () => {
  // Over 15 entries, as rounding to 8 bits can be as large as a single step.
  const steps = Array.from({ length: 17 }, (_, i) => {
    const from = toOklab(colour(15 * i));
    const to = toOklab(colour(15 * i + 15));
    return Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
  });
  const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;

  expect(Math.max(...steps) / mean).toBeLessThan(1.04);
  expect(Math.min(...steps) / mean).toBeGreaterThan(0.96);
});

/** To 3 digits, without minus zero. */
function rounded(rgb: Triple): readonly number[] {
  return toOklab(rgb).map((value) => Math.round(value * 1000) / 1000 + 0);
}

/** Luma, ITU-R BT.601. */
function grey([r, g, b]: Triple): number {
  return 0.299 * r + 0.587 * g + 0.114 * b;
}

// For OKLab and its matrices: B. Ottosson, "A perceptual color space for image processing" (2020).

/** Start and end of the path. Chroma peaks in between and falls again, to stay inside sRGB. */
const lightness = { from: 0.16, to: 0.97 };
const hueDegrees = { from: 272, to: 468 };
const chroma = { from: 0.045, peak: 0.185, to: 0.085 };

/** Points along the path for measuring its length; 16 per entry make the steps equal to within 0.1%. */
const samples = 4096;

/** The colours along the path, at equal distances. */
function drawColours(): Uint8Array {
  const path = Array.from({ length: samples + 1 }, (_, i) => pathAt(i / samples));
  const lengths = cumulativeLengths(path);
  const total = lengths[samples]!;
  const colours = new Uint8Array(3 * colourCount);
  let at = 0;
  for (let entry = 0; entry < colourCount; entry++) {
    const wanted = (total * entry) / (colourCount - 1);
    while (at < samples - 1 && lengths[at + 1]! < wanted) at++;
    const share = (wanted - lengths[at]!) / (lengths[at + 1]! - lengths[at]!);
    colours.set(toSrgb(pathAt((at + share) / samples)), 3 * entry);
  }
  return colours;
}

/** Converts an sRGB colour to OKLab. @param rgb - three bytes, 0..255. @returns L 0..1, a and b about -0.4..0.4. */
function toOklab(rgb: Triple): Triple {
  const r = linearFromByte(rgb[0]);
  const g = linearFromByte(rgb[1]);
  const b = linearFromByte(rgb[2]);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** The path in OKLab, `t` 0..1. */
function pathAt(t: number): Triple {
  const hue = ((hueDegrees.from + (hueDegrees.to - hueDegrees.from) * t) * Math.PI) / 180;
  const base = chroma.from + (chroma.to - chroma.from) * t;
  const rise = chroma.peak - (chroma.from + chroma.to) / 2;
  const c = base + rise * Math.sin(Math.PI * t) ** 2;
  return [
    lightness.from + (lightness.to - lightness.from) * t,
    c * Math.cos(hue),
    c * Math.sin(hue),
  ];
}

function cumulativeLengths(path: readonly Triple[]): Float64Array {
  const lengths = new Float64Array(path.length);
  for (let i = 1; i < path.length; i++) {
    const [p, q] = [path[i - 1]!, path[i]!];
    lengths[i] = lengths[i - 1]! + Math.hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]);
  }
  return lengths;
}

function toSrgb(lab: Triple): Triple {
  const [L, a, b] = lab;
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    byteFromLinear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    byteFromLinear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    byteFromLinear(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/** sRGB transfer function, IEC 61966-2-1. */
function linearFromByte(byte: number): number {
  const v = byte / 255;
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
}

function byteFromLinear(linear: number): number {
  if (linear < -1e-6 || linear > 1 + 1e-6) throw new RangeError('Colour outside sRGB.');
  const v = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
  return Math.round(255 * v);
}
