/** Pixels as text: a half block holds two of them, one above the other, in the two colours that a cell may have. */

export interface Raster {
  readonly width: number;
  readonly height: number;
  /** Row-major, 3 bytes a pixel. */
  readonly rgb: Uint8Array;
}

/** Bits of colour that the terminal shows. */
export type ColourDepth = 8 | 24;

const reset = '\u001b[0m';

/** A line for every two rows of pixels, each with `width` cells. */
export function halfBlockLines({ width, height, rgb }: Raster, depth: ColourDepth): string[] {
  const colourAt = (x: number, y: number) => {
    const at = 3 * (y * width + x);
    return codeOf([rgb[at]!, rgb[at + 1]!, rgb[at + 2]!], depth);
  };
  const lines: string[] = [];
  for (let y = 0; y < height; y += 2) {
    let line = '';
    let before = '';
    for (let x = 0; x < width; x++) {
      const lower = y + 1 < height ? `48;${colourAt(x, y + 1)}` : '49';
      const colours = `38;${colourAt(x, y)};${lower}`;
      // Said only where it changes: flat areas would otherwise be mostly colour codes.
      line += colours === before ? '▀' : `\u001b[${colours}m▀`;
      before = colours;
    }
    lines.push(line + reset);
  }
  return lines;
}

type Rgb = readonly [number, number, number];

/** As SGR 38 and 48 take it (ITU-T T.416, and xterm's table of 256 colours). */
function codeOf(rgb: Rgb, depth: ColourDepth): string {
  return depth === 24 ? `2;${rgb.join(';')}` : `5;${nearestOf256(rgb)}`;
}

/** Levels of the colour cube of 6 x 6 x 6, entries 16 to 231; 24 greys follow, 8 to 238 in tens. */
const levels = [0, 95, 135, 175, 215, 255];

/** The entry of xterm's table that lies nearest; the first 16 are left out, because everybody may choose those. */
export function nearestOf256(rgb: Rgb): number {
  const [r, g, b] = [nearestLevel(rgb[0]), nearestLevel(rgb[1]), nearestLevel(rgb[2])];
  const cube: Rgb = [levels[r]!, levels[g]!, levels[b]!];
  const mean = (rgb[0] + rgb[1] + rgb[2]) / 3;
  const step = Math.max(0, Math.min(23, Math.round((mean - 8) / 10)));
  const level = 8 + 10 * step;
  const isGrey = distance(rgb, [level, level, level]) < distance(rgb, cube);
  return isGrey ? 232 + step : 16 + 36 * r + 6 * g + b;
}

function nearestLevel(value: number): number {
  let nearest = 0;
  for (let i = 1; i < levels.length; i++) {
    if (Math.abs(levels[i]! - value) < Math.abs(levels[nearest]! - value)) nearest = i;
  }
  return nearest;
}

function distance(a: Rgb, b: Rgb): number {
  return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;
}
