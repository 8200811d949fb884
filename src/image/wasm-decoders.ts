/** For formats that this build of libvips does not read. Loaded when first needed, and only in the sandbox. */

// oxlint-disable no-underscore-dangle -- Emscripten gives C functions such names

import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { RawPixels, Size } from './pixels.ts';
import { localLimits } from './picture.ts';

const require = createRequire(import.meta.url);

function once<Library>(open: () => Promise<Library>): () => Promise<Library> {
  let opening: Promise<Library> | undefined;
  return () => (opening ??= open());
}

async function readWasm(file: string): Promise<Uint8Array> {
  return readFile(fileURLToPath(import.meta.resolve(file)));
}

/** The functions of libheif. @see libheif's heif.h. */
type Heif = Readonly<Record<HeifFunction, (...given: number[]) => number>> & {
  readonly HEAPU8: Uint8Array;
  readonly HEAP32: Int32Array;
  readonly HEAPU32: Uint32Array;
};

type HeifFunction =
  | '_malloc'
  | '_free'
  | `_heif_context_${'alloc' | 'free' | 'get_security_limits' | 'read_from_memory'}`
  | '_heif_context_get_primary_image_handle'
  | `_heif_image_handle_${'has_alpha_channel' | 'release'}`
  | '_heif_decode_image'
  | `_heif_image_${'get_width' | 'get_height' | 'get_plane_readonly2' | 'release'}`;

/** heif_colorspace_RGB, heif_chroma_interleaved_RGB and _RGBA, heif_channel_interleaved. */
const heif = { rgb: 1, interleaved: 10, interleavedAlpha: 11, channel: 10 } as const;

/** More pixels may be stored than are shown, because `clap` crops and tiles extend past the edge. */
const maxStoredPixels = 2 * localLimits.maxPixels;

const openHeif = once(async () => {
  const create: (options: {
    wasmBinary: Uint8Array;
  }) => Promise<Heif> = require('libheif-js/libheif-wasm/libheif.js');
  return create({ wasmBinary: await readWasm('libheif-js/libheif-wasm/libheif.wasm') });
});

/** In 8 bits, with the file's own rotation applied. @throws {Error} with the library's message. */
export async function decodeHeic(bytes: Uint8Array): Promise<RawPixels> {
  const lib = await openHeif();
  const input = lib._malloc(bytes.length);
  // Space for an error of three words, and one word for each result.
  const answer = lib._malloc(16);
  const context = lib._heif_context_alloc();
  let [handle, image] = [0, 0];
  const check = (act: (error: number, out: number) => void): number => {
    act(answer, answer + 12);
    const code = lib.HEAP32[answer / 4];
    if (code !== 0) throw new Error(`libheif: error ${code}.${lib.HEAP32[answer / 4 + 1]}`);
    return lib.HEAPU32[answer / 4 + 3]!;
  };
  try {
    lib.HEAPU8.set(bytes, input);
    // The version comes first, then a 64-bit limit on the pixels of any picture in the file.
    const limits = lib._heif_context_get_security_limits(context) / 4;
    lib.HEAPU32.set([maxStoredPixels, 0], limits + 2);
    check((error) => lib._heif_context_read_from_memory(error, context, input, bytes.length, 0));
    handle = check((error, out) => lib._heif_context_get_primary_image_handle(error, context, out));
    const hasAlpha = lib._heif_image_handle_has_alpha_channel(handle) !== 0;
    const chroma = hasAlpha ? heif.interleavedAlpha : heif.interleaved;
    image = check((error, out) => lib._heif_decode_image(error, handle, out, heif.rgb, chroma, 0));
    return copyPlane(lib, image, answer, hasAlpha ? 4 : 3);
  } finally {
    if (image !== 0) lib._heif_image_release(image);
    if (handle !== 0) lib._heif_image_handle_release(handle);
    lib._heif_context_free(context);
    lib._free(answer);
    lib._free(input);
  }
}

function copyPlane(lib: Heif, image: number, answer: number, channels: number): RawPixels {
  const width = lib._heif_image_get_width(image, heif.channel);
  const height = lib._heif_image_get_height(image, heif.channel);
  const plane = lib._heif_image_get_plane_readonly2(image, heif.channel, answer);
  const stride = lib.HEAPU32[answer / 4]!;
  const data = new Uint8Array(width * height * channels);
  for (let y = 0; y < height; y++) {
    const row = plane + y * stride;
    data.set(lib.HEAPU8.subarray(row, row + width * channels), y * width * channels);
  }
  return { width, height, channels, data };
}

const openJxl = once(async () => {
  const lib = await import('jxl-oxide-wasm');
  lib.initSync({ module: Uint8Array.from(await readWasm('jxl-oxide-wasm/module.wasm')) });
  return lib;
});

/** Its first frame, likewise. */
export async function decodeJpegXl(bytes: Uint8Array): Promise<RawPixels> {
  const { JxlImage } = await openJxl();
  const image = new JxlImage();
  try {
    image.feedBytes(bytes);
    if (!image.tryInit() || image.numLoadedKeyframes === 0) throw new Error('The file ends early.');
    // Also frees the frame.
    const png = image.render(0).encodeToPng();
    const decoded = sharp(png).toColourspace('srgb').raw({ depth: 'uchar' });
    const { data, info } = await decoded.toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, channels: info.channels, data };
  } finally {
    image.free();
  }
}

/** The part of the OpenJPEG package that is used here. */
interface OpenJpeg {
  readonly J2KDecoder: new () => {
    getEncodedBuffer(bytes: number): Uint8Array;
    decode(): void;
    getFrameInfo(): Size & {
      readonly bitsPerSample: number;
      readonly componentCount: number;
      readonly isSigned: boolean;
    };
    getDecodedBuffer(): Uint8Array;
    delete(): void;
  };
}

const quiet = () => undefined;

const openJpeg2000 = once(async () => {
  const create: (
    options: object,
  ) => Promise<OpenJpeg> = require('@cornerstonejs/codec-openjpeg/decodewasmjs');
  const wasmBinary = await readWasm('@cornerstonejs/codec-openjpeg/decodewasm');
  return create({ wasmBinary, print: quiet, printErr: quiet });
});

/** Decodes JPEG 2000 of one or three components in 8 bits, grey as RGB. @throws {Error} with the library's message. */
export async function decodeJpeg2000(bytes: Uint8Array): Promise<RawPixels> {
  const { J2KDecoder } = await openJpeg2000();
  const decoder = new J2KDecoder();
  try {
    decoder.getEncodedBuffer(bytes.length).set(bytes);
    decoder.decode();
    const { width, height, bitsPerSample, componentCount, isSigned } = decoder.getFrameInfo();
    const stored = decoder.getDecodedBuffer();
    const samples = bitsPerSample <= 8 ? stored : new Uint16Array(Uint8Array.from(stored).buffer);
    const count = width * height;
    const isGrey = componentCount < 3;
    if (samples.length < count * componentCount || isSigned)
      throw new Error('A rare kind of JPEG 2000.');
    const shift = bitsPerSample - 8;
    const data = new Uint8Array(3 * count);
    for (let i = 0, to = 0, from = 0; i < count; i++, from += componentCount) {
      for (let k = 0; k < 3; k++, to++) {
        const sample = samples[from + (isGrey ? 0 : k)]!;
        data[to] = shift >= 0 ? sample >> shift : sample << -shift;
      }
    }
    return { width, height, channels: 3, data };
  } finally {
    decoder.delete();
  }
}
