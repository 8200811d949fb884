/**
 * Draws cell maps over the greyed picture. The scale is 0..1 for every picture and every map, so that two heatmaps can
 * be laid side by side. It knows pixels and values; what they mean is said elsewhere.
 */

import sharp from 'sharp';
import type { Region } from '../../detectors/regions.ts';
import type { CellMaps, MapName } from '../../engine/result.ts';
import { type PixelOrientation, turnBack } from '../../image/orientation.ts';
import type { Picture } from '../../image/picture.ts';
import {
  colourCount,
  createColourMap,
  createUpsampler,
  type FillRow,
  type Size,
} from './colour-map.ts';

/**
 * Where the value is low the picture shows as dimmed grey, where it is high as shading of the colour. The grey is kept
 * so dark that bright means a high value and never a bright thing in the picture, also on a grey print.
 */
const greyBelow = { black: 4, white: 78 };
const shadeAbove = { black: 0.72, white: 1 };

/** Fast rather than small: a heatmap is written once, and noise under colour hardly compresses anyway. */
const pngOptions = { compressionLevel: 1, adaptiveFiltering: false, palette: false } as const;

/** Smooth slopes: the filters take a map of 16 megapixels from 30 MB to 12 MB, for 0.5 s instead of 0.3 s. */
const rawPngOptions = { compressionLevel: 3, adaptiveFiltering: true } as const;

interface HeatmapLook {
  /** How they lie: over the upright picture, or over the pixels as the file stores them. */
  readonly heatmapOrientation?: PixelOrientation;
  /** In pixels of the upright picture: framed in white on black, or null. */
  readonly outline?: Region | null;
}

/**
 * PNG files of exactly the picture's size, 8-bit RGB.
 *
 * @throws {RangeError} when the maps do not belong to a picture of this size.
 */
export async function renderHeatmaps(
  picture: Picture,
  maps: CellMaps,
  { heatmapOrientation = 'upright', outline = null }: HeatmapLook = {},
): Promise<Record<MapName, Uint8Array>> {
  const { width, height, orientation } = picture.facts;
  const fillRow = createUpsampler({ width, height }, maps);
  const blend = createBlend();
  const rgb = new Uint8Array(3 * width * height);
  return renderEach((name) => {
    drawOver(picture, { values: maps.values[name], fillRow, blend, rgb });
    if (outline !== null) drawFrame(rgb, { width, height }, outline);
    const upright = sharp(rgb, { raw: { width, height, channels: 3 } });
    const laid = heatmapOrientation === 'upright' ? upright : turnBack(upright, orientation);
    return laid.png(pngOptions).toBuffer();
  });
}

/**
 * One map over the picture, as RGB bytes of its size.
 *
 * @param values - of `maps` or of their grid.
 * @throws {RangeError} when the maps do not belong to a picture of this size.
 */
export function drawValues(picture: Picture, maps: CellMaps, values: Uint16Array): Uint8Array {
  const { width, height } = picture.facts;
  const fillRow = createUpsampler({ width, height }, maps);
  const rgb = new Uint8Array(3 * width * height);
  drawOver(picture, { values, fillRow, blend: createBlend(), rgb });
  return rgb;
}

/**
 * The values themselves: 16-bit grey PNG files of exactly `size`, 0..65535 stands for 0..1.
 *
 * @throws {RangeError} when the maps do not belong to a picture of this size.
 */
export async function renderRawMaps(
  size: Size,
  maps: CellMaps,
): Promise<Record<MapName, Uint8Array>> {
  const { width, height } = size;
  const fillRow = createUpsampler(size, maps);
  const grey = new Uint16Array(width * height);
  return renderEach((name) => {
    for (let y = 0; y < height; y++) {
      fillRow(maps.values[name], y, grey.subarray(y * width, (y + 1) * width));
    }
    return sharp(grey, { raw: { width, height, channels: 1 } })
      .toColourspace('grey16')
      .png(rawPngOptions)
      .toBuffer();
  });
}

/**
 * Colours of the scale as they look over a middle grey of the picture, RGB bytes from value 0 to 1: what a legend must
 * show, since the pure colours of the map appear nowhere in a heatmap.
 */
export function legendColours(): Uint8Array {
  const map = createColourMap();
  const colours = new Uint8Array(3 * colourCount);
  for (let value = 0; value < colourCount; value++) {
    const packed = blendOf(map, value, 128);
    colours.set([packed & 255, (packed >> 8) & 255, packed >> 16], 3 * value);
  }
  return colours;
}

/** Wide enough to be seen when a large picture is shown small. */
function drawFrame(rgb: Uint8Array, size: Size, { left, top, width, height }: Region): void {
  const stroke = Math.max(1, Math.round(Math.max(size.width, size.height) / 400));
  const fill = (inset: number, thick: number, value: number) => {
    const [x0, y0] = [left - inset, top - inset];
    const [x1, y1] = [left + width + inset, top + height + inset];
    for (let y = Math.max(0, y0); y < Math.min(size.height, y1); y++) {
      const isEdgeRow = y < y0 + thick || y >= y1 - thick;
      for (let x = Math.max(0, x0); x < Math.min(size.width, x1); x++) {
        if (!isEdgeRow && x >= x0 + thick && x < x1 - thick) continue;
        rgb.fill(value, 3 * (y * size.width + x), 3 * (y * size.width + x) + 3);
      }
    }
  };
  fill(2 * stroke, 3 * stroke, 0);
  fill(stroke, stroke, 255);
}

/** One after the other: they share one buffer, and at 12 megapixels four would be 144 MB. */
async function renderEach(
  render: (name: MapName) => Promise<Uint8Array>,
): Promise<Record<MapName, Uint8Array>> {
  const real = await render('real');
  const fake = await render('fake');
  const compression = await render('compression');
  const anomaly = await render('anomaly');
  return { real, fake, compression, anomaly };
}

/** Colour for each pair of value and luma: index `value << 8 | luma`. */
function createBlend(): Uint32Array {
  const map = createColourMap();
  const table = new Uint32Array(colourCount * 256);
  for (let value = 0; value < colourCount; value++) {
    for (let luma = 0; luma < 256; luma++) {
      table[(value << 8) | luma] = blendOf(map, value, luma);
    }
  }
  return table;
}

/** Blue, green and red from the top byte but one down. */
function blendOf(map: Uint8Array, value: number, luma: number): number {
  const greyShare = 1 - value / (colourCount - 1);
  const grey = between(greyBelow, luma / 255) * greyShare;
  const shade = between(shadeAbove, luma / 255);
  const red = screen(shade * map[3 * value]!, grey);
  const green = screen(shade * map[3 * value + 1]!, grey);
  const blue = screen(shade * map[3 * value + 2]!, grey);
  return red | (green << 8) | (blue << 16);
}

/** Adds light as two projectors on one screen do: never darker than either, and never beyond white. */
function screen(colour: number, grey: number): number {
  return Math.round(colour + grey * (1 - colour / 255));
}

function between({ black, white }: typeof greyBelow, share: number): number {
  return black + (white - black) * share;
}

interface Drawing {
  readonly values: Uint16Array;
  readonly fillRow: FillRow;
  readonly blend: Uint32Array;
  /** Written in full by each drawing; one buffer serves all four, 36 MB at 12 megapixels. */
  readonly rgb: Uint8Array;
}

function drawOver({ facts, luma }: Picture, { values, fillRow, blend, rgb }: Drawing): void {
  const { width, height } = facts;
  const row = new Uint16Array(width);
  let to = 0;
  for (let y = 0; y < height; y++) {
    fillRow(values, y, row);
    const from = y * width;
    for (let x = 0; x < width; x++) {
      // The upper byte of the value: 65535 / 256 steps, equal for all entries.
      const colour = blend[(row[x]! & 0xff00) | luma[from + x]!]!;
      rgb[to] = colour;
      rgb[to + 1] = colour >> 8;
      rgb[to + 2] = colour >> 16;
      to += 3;
    }
  }
}
