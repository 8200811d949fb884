/**
 * The one colour map of the product: dark blue over magenta and orange to pale yellow. Lightness grows with the value
 * and neighbouring entries lie equally far apart in OKLab, so that an equal difference in value looks like an equal
 * difference, on a screen, to colour-blind readers and on a grey print.
 *
 * @see B. Ottosson, "A perceptual color space for image processing" (2020), for OKLab and its matrices.
 */

export const colourCount = 256;

/** Where the path starts and ends. Chroma rises to its peak in between and falls again, to stay inside sRGB. */
const lightness = { from: 0.16, to: 0.97 };
const hueDegrees = { from: 272, to: 468 };
const chroma = { from: 0.045, peak: 0.185, to: 0.085 };

/** Points that the path is measured with; 16 for each entry leaves steps equal to better than 0.1 %. */
const samples = 4096;

type Triple = readonly [number, number, number];

/** The colour map as RGB bytes, `3 * 256` of them: entry i stands for the value i / 255. */
export function createColourMap(): Uint8Array {
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

/**
 * OKLab of an sRGB colour.
 *
 * @param rgb - three bytes, 0..255.
 * @returns L 0..1, a and b about -0.4..0.4.
 */
export function toOklab(rgb: Triple): Triple {
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

/** @throws {RangeError} when the colour lies outside sRGB: the path would be bent by clipping. */
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
