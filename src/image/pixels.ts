/** Crops and smaller copies of a picture, which exist only in memory. */

/** In pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Row-major luma, one sample per pixel, 0..255: 0.299 R + 0.587 G + 0.114 B, rounded (ITU-R BT.601, as in JFIF). */
export interface LumaPlane extends Size {
  readonly luma: Uint8Array;
}

export interface RawPixels extends Size {
  readonly channels: number;
  /** Row-major samples, 8 bits each. */
  readonly data: Uint8Array;
}

export interface Pixels extends Size {
  /** Row-major RGB, 8 bits per sample, `3 * width * height` bytes. */
  readonly rgb: Uint8Array;
}

/** The input of the methods that read traces: pixels and luma of a whole picture, a crop or a copy. */
export interface Planes extends Pick<Pixels, 'rgb'>, Pick<LumaPlane, 'luma'> {
  readonly facts: Size;
}

export function toPlanes({ width, height, rgb }: Pixels): Planes {
  return withLuma({ facts: { width, height }, rgb });
}

/** Computes luma when it is first read, because networks do not need it, and one of them starts before it is ready. */
export function withLuma<Parts extends Pick<Pixels, 'rgb'>>(
  parts: Parts,
): Parts & Pick<LumaPlane, 'luma'> {
  let luma: Uint8Array | null = null;
  return {
    ...parts,
    get luma() {
      luma ??= toLuma(parts.rgb);
      return luma;
    },
  };
}

export interface PixelBox extends Size {
  readonly left: number;
  readonly top: number;
}

/** Rounded to whole pixels, and at least 1. */
export function scaledSize({ width, height }: Size, scale: number): Size {
  const side = (length: number) => Math.max(1, Math.round(length * scale));
  return { width: side(width), height: side(height) };
}

/** @param box - must lie inside the picture. */
export function cutPixels({ rgb, facts }: Pick<Planes, 'rgb' | 'facts'>, box: PixelBox): Pixels {
  const { left, top, width, height } = box;
  const cut = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    const from = 3 * ((top + y) * facts.width + left);
    cut.set(rgb.subarray(from, from + 3 * width), 3 * y * width);
  }
  return { width, height, rgb: cut };
}

/** Halves both sides, rounding down: each pixel is the mean of 2 x 2 pixels, rounded half up. */
export function halvePixels({ rgb, facts }: Pick<Planes, 'rgb' | 'facts'>): Pixels {
  const [width, height] = [facts.width >> 1, facts.height >> 1];
  const half = new Uint8Array(3 * width * height);
  const below = 3 * facts.width;
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0, from = 2 * y * below; x < width; x++, from += 6) {
      for (let colour = from; colour < from + 3; colour++) {
        const sum =
          rgb[colour]! + rgb[colour + 3]! + rgb[colour + below]! + rgb[colour + below + 3]!;
        half[to++] = (sum + 2) >> 2;
      }
    }
  }
  return { width, height, rgb: half };
}

/** Keeps three samples, and composites four over white; `hadTransparency` if a pixel was transparent. */
export function toRgb({ data, channels }: Pick<RawPixels, 'data' | 'channels'>) {
  if (channels === 3) return { rgb: data, hadTransparency: false };
  if (channels !== 4) throw new RangeError('Decoded pictures have three or four channels.');
  const pixels = data.length / 4;
  const rgb = new Uint8Array(3 * pixels);
  let hadTransparency = false;
  for (let i = 0, from = 0, to = 0; i < pixels; i++, from += 4, to += 3) {
    const alpha = data[from + 3]!;
    const white = 255 * (255 - alpha) + 127;
    hadTransparency ||= alpha !== 255;
    rgb[to] = ((data[from]! * alpha + white) / 255) | 0;
    rgb[to + 1] = ((data[from + 1]! * alpha + white) / 255) | 0;
    rgb[to + 2] = ((data[from + 2]! * alpha + white) / 255) | 0;
  }
  return { rgb, hadTransparency };
}

/** As in `LumaPlane`, rounded half up. @see ITU-R BT.601-7, 2.5.1; JFIF 1.02 uses it at full range. */
export function toLuma(rgb: Uint8Array): Uint8Array {
  const pixels = rgb.length / 3;
  const luma = new Uint8Array(pixels);
  for (let i = 0, from = 0; i < pixels; i++, from += 3) {
    const thousandths = 299 * rgb[from]! + 587 * rgb[from + 1]! + 114 * rgb[from + 2]!;
    luma[i] = ((thousandths + 500) / 1000) | 0;
  }
  return luma;
}
