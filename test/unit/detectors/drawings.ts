/** Drawn pictures that no camera took, and photographs in hard light. */

import { createRandom } from '../../fixtures/noise.ts';
import type { Scene } from '../../fixtures/pictures.ts';

type Colour = readonly [number, number, number];

const width = 640;
const height = 480;
/** Each pixel averages this number of points squared, as drawing programs smooth edges. */
const points = 2;

/** @param colourAt - the colour at a point in pixels. */
function draw(colourAt: (x: number, y: number) => Colour): Scene {
  const rgb = new Uint8Array(3 * width * height);
  for (let at = 0; at < width * height; at++) {
    const sums = [0, 0, 0];
    for (let sub = 0; sub < points * points; sub++) {
      const x = (at % width) + ((sub % points) + 0.5) / points;
      const y = Math.floor(at / width) + (Math.floor(sub / points) + 0.5) / points;
      colourAt(x, y).forEach((value, channel) => {
        sums[channel]! += value;
      });
    }
    sums.forEach((sum, channel) => {
      rgb[3 * at + channel] = Math.round(sum / (points * points));
    });
  }
  return { width, height, rgb };
}

const white: Colour = [255, 255, 255];
const ink: Colour = [20, 20, 24];

interface Shape {
  readonly colour: Colour;
  readonly holds: (x: number, y: number) => boolean;
}

function paint(ground: Colour, shapes: readonly Shape[]): Scene {
  return draw((x, y) => shapes.findLast(({ holds }) => holds(x, y))?.colour ?? ground);
}

const box = (colour: Colour, left: number, top: number, wide: number, high: number): Shape => ({
  colour,
  holds: (x, y) => x >= left && x < left + wide && y >= top && y < top + high,
});

const disc = (colour: Colour, cx: number, cy: number, radius: number): Shape => ({
  colour,
  holds: (x, y) => (x - cx) ** 2 + (y - cy) ** 2 < radius ** 2,
});

function colours(random: () => number): Colour {
  return [random() * 255, random() * 255, random() * 255];
}

/** Lines of letters made of vertical and horizontal strokes. */
export function textPage(seed = 1): Scene {
  const random = createRandom(seed);
  const page = new Uint8Array(width * height);
  const stroke = (left: number, top: number, wide: number, high: number) => {
    for (let y = top; y < top + high; y++) page.fill(1, y * width + left, y * width + left + wide);
  };
  for (let line = 30; line < height - 30; line += 22) {
    for (let x = 30; x < width - 40; x += random() < 0.15 ? 14 : 9) {
      if (random() < 0.8) stroke(x, line, 2, 11);
      if (random() < 0.5) stroke(x + 5, line + 3, 2, 8);
      if (random() < 0.6) stroke(x, line + Math.floor(random() * 10), 7, 2);
    }
  }
  return draw((x, y) => (page[Math.floor(y) * width + Math.floor(x)] === 1 ? ink : white));
}

/** Printed on grey paper, with a scanner's noise. */
export function scannedPage(): Scene {
  const random = createRandom(11);
  const { rgb, ...size } = textPage();
  const grainy = rgb.map((value) => {
    const grain = 3 * (random() + random() + random() - 1.5);
    return Math.round(0.85 * value + 20 + grain);
  });
  return { ...size, rgb: grainy };
}

/** Filled shapes with outlines. */
export function cartoon(seed = 2): Scene {
  const random = createRandom(seed);
  const shapes = Array.from({ length: 14 }, () => {
    const [x, y, radius] = [random() * width, random() * height, 20 + random() * 80] as const;
    return [disc(ink, x, y, radius + 4), disc(colours(random), x, y, radius)];
  });
  return paint([250, 220, 160], shapes.flat());
}

export function chart(seed = 3): Scene {
  const random = createRandom(seed);
  const lines = Array.from({ length: 9 }, (_, at) =>
    box([215, 215, 215], 40, 40 + at * 45, 580, 1),
  );
  const bars = Array.from({ length: 10 }, (_, at) => {
    const high = 40 + random() * 340;
    return box(colours(random), 60 + at * 55, 440 - high, 34, high);
  });
  return paint(white, [...lines, ...bars, box(ink, 40, 440, 580, 2), box(ink, 40, 30, 2, 410)]);
}

/** A window with panels, buttons and lines of text. */
export function screenshot(seed = 4): Scene {
  const random = createRandom(seed);
  const text = textPage(seed);
  const panels = Array.from({ length: 6 }, (_, at) =>
    box(colours(random), 180 + (at % 3) * 150, 80 + Math.floor(at / 3) * 190, 130, 60),
  );
  const frame = paint(
    [243, 244, 246],
    [box([40, 60, 120], 0, 0, width, 40), box([225, 228, 235], 0, 40, 150, height), ...panels],
  );
  for (let at = 0; at < width * height; at++) {
    const isBeside = at % width < 150 && at > 60 * width;
    if (isBeside && text.rgb[3 * at]! < 128) frame.rgb.set(ink, 3 * at);
  }
  return frame;
}

/** The scene under another light: `curve` maps 0..255 to 0..255 and is clipped. */
export function relit({ width: w, height: h, rgb }: Scene, curve: (value: number) => number) {
  const lit = Uint8Array.from(rgb, (value) => Math.min(255, Math.max(0, Math.round(curve(value)))));
  return { width: w, height: h, rgb: lit };
}

/** Soft lamps a few pixels wide in a black night with slight sensor noise. */
export function nightSky(seed = 5): Scene {
  const random = createRandom(seed);
  const lamps = Array.from({ length: 40 }, () => ({
    x: random() * width,
    y: random() * height,
    size: 1.5 + random() * 3,
    light: 60 + random() * 400,
  }));
  const rgb = new Uint8Array(3 * width * height);
  for (let at = 0; at < width * height; at++) {
    const [x, y] = [at % width, Math.floor(at / width)];
    let light = 0;
    for (const lamp of lamps) {
      const squared = ((x - lamp.x) ** 2 + (y - lamp.y) ** 2) / (2 * lamp.size ** 2);
      if (squared < 20) light += lamp.light * Math.exp(-squared);
    }
    const value = Math.min(255, Math.max(0, light + (random() - 0.75) * 3));
    rgb.fill(Math.round(value), 3 * at, 3 * at + 3);
  }
  return { width, height, rgb };
}
