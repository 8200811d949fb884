/**
 * Extracts the pictures of a PDF file as they are stored, and renders each page as a picture. Uses
 * PDFium compiled to WebAssembly, and only in the sandbox.
 *
 * @see ISO 32000-2: 8.9.5 image dictionaries, 8.3.4 transformation matrices, 7.4.8 DCTDecode.
 */

import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium';
import { failure } from '../contract/errors.ts';
import { savePng } from './codec.ts';
import { checkSizeBytes } from './container.ts';
import type { Limits } from './picture.ts';
import type { Size } from './pixels.ts';

/** In millimetres from the upper left corner of the page as displayed. */
export type Place = Readonly<Record<'left' | 'top' | 'width' | 'height', number>>;

/** A picture in a PDF file. Pages are numbered from 1, and the pictures on each page from 1 in drawing order. */
export interface PdfPart {
  readonly page: number;
  /** Null for the rendered page itself. */
  readonly picture: number | null;
  readonly place: Place;
}

const maxPages = 500;

/** @throws {ForensicsError} `image_empty`, `image_too_many_bytes`, `image_unreadable`, `image_not_supported`. */
export async function listPdfParts(bytes: Uint8Array, limits: Limits) {
  return withDocument(bytes, limits, (pdf) => {
    const pages = pdf.lib.FPDF_GetPageCount(pdf.document);
    if (pages === 0) throw failure('pdf_without_pages', {});
    const seen = new Set<string>();
    const parts: PdfPart[] = [];
    let [tooSmall, repeated] = [0, 0];
    for (let number = 1; number <= Math.min(pages, maxPages); number++) {
      withPage(pdf, number, (page) => {
        const pictures = picturesOn(page);
        const large = pictures.filter(
          ({ width, height }) => Math.min(width, height) >= limits.minSidePx,
        );
        tooSmall += pictures.length - large.length;
        for (const picture of large) {
          const digest = hash('sha256', storedData(page, picture));
          if (seen.has(digest)) repeated++;
          else parts.push({ page: number, picture: picture.number, place: picture.place });
          seen.add(digest);
        }
        // A scanned page consists of one picture, so rendering the page would only give a worse copy of it.
        const isScan = large.some(({ place }) => coversPage(place, page));
        if (!isScan)
          parts.push({ page: number, picture: null, place: { left: 0, top: 0, ...page.mm } });
      });
    }
    return {
      parts,
      /** Number of pictures that are too small to examine: icons, lines, bullets. */
      tooSmall,
      /** Number of pictures whose data also occurred earlier: logos, backgrounds. */
      repeated,
      /** Number of pages that are not read. */
      laterPages: Math.max(pages - maxPages, 0),
    };
  });
}

/** A JPEG as the PDF stores it; otherwise a PNG. @throws {ForensicsError} as `listPdfParts`; `image_too_large`. */
export async function readPdfPart(
  bytes: Uint8Array,
  part: Pick<PdfPart, 'page' | 'picture'>,
  limits: Limits,
): Promise<Uint8Array> {
  const read = await withDocument(bytes, limits, (pdf) =>
    withPage(pdf, part.page, (page) => {
      if (part.picture === null) return drawPage(page);
      const picture = picturesOn(page)[part.picture - 1];
      if (picture === undefined) throw damaged('contains no such picture');
      const data = storedData(page, picture);
      const isJpeg = data[0] === 0xff && data[1] === 0xd8;
      return isJpeg ? data : samples(page, picture, limits);
    }),
  );
  return read instanceof Uint8Array ? read : savePng(read);
}

function damaged(what: string) {
  return failure('damaged', { format: 'PDF', what });
}

interface Pdf extends Awaited<ReturnType<typeof openLibrary>> {
  readonly document: number;
}

interface Page extends Pdf {
  readonly page: number;
  /** Size of the page as displayed, in millimetres. */
  readonly mm: Size;
}

let library: ReturnType<typeof openLibrary> | null = null;

/** With the address of a 64-byte buffer for the small results of functions. */
async function openLibrary() {
  const wasm = await readFile(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm')));
  const lib = await init({ wasmBinary: new Uint8Array(wasm).buffer });
  lib.PDFiumExt_Init();
  return { lib, answer: lib.pdfium.wasmExports.malloc(64) };
}

/** Passes the address of this many bytes in the heap. */
function withMemory<T>({ pdfium }: WrappedPdfiumModule, size: number, use: (at: number) => T): T {
  const address = pdfium.wasmExports.malloc(Math.max(size, 1));
  if (address === 0) throw failure('out_of_memory', {});
  try {
    return use(address);
  } finally {
    pdfium.wasmExports.free(address);
  }
}

async function withDocument<T>(bytes: Uint8Array, limits: Limits, use: (pdf: Pdf) => T) {
  checkSizeBytes(bytes.length, limits);
  library ??= openLibrary();
  const { lib, answer } = await library;
  return withMemory(lib, bytes.length, (address) => {
    // HEAPU8 must be read again, because the heap may have grown and moved.
    lib.pdfium.HEAPU8.set(bytes, address);
    const document = lib.FPDF_LoadMemDocument(address, bytes.length, '');
    if (document === 0) {
      // FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY in fpdfview.h.
      const isLocked = [4, 5].includes(lib.FPDF_GetLastError());
      throw isLocked ? failure('pdf_locked', {}) : damaged('cannot be opened');
    }
    try {
      return use({ lib, answer, document });
    } finally {
      lib.FPDF_CloseDocument(document);
    }
  });
}

function withPage<T>(pdf: Pdf, number: number, use: (page: Page) => T): T {
  const { lib, document } = pdf;
  const page = lib.FPDF_LoadPage(document, number - 1);
  if (page === 0) throw damaged(`has no readable page ${number}`);
  try {
    const mm = {
      width: lib.FPDF_GetPageWidthF(page) * mmPerPoint,
      height: lib.FPDF_GetPageHeightF(page) * mmPerPoint,
    };
    return use({ ...pdf, page, mm });
  } finally {
    lib.FPDF_ClosePage(page);
  }
}

const mmPerPoint = 25.4 / 72;

interface PagePicture extends Size {
  readonly number: number;
  readonly object: number;
  readonly place: Place;
}

/** Six numbers a to f: x' = a x + c y + e, y' = b x + d y + f. */
type Matrix = readonly [number, number, number, number, number, number];

const identity: Matrix = [1, 0, 0, 1, 0, 0];
const types = { picture: 3, form: 5 } as const;
/** Forms may be nested, but only an attack nests them deeper than this. */
const deepest = 8;

function picturesOn(page: Page): readonly PagePicture[] {
  const { lib } = page;
  const found: PagePicture[] = [];
  const visit = (object: number, outer: Matrix, depth: number) => {
    const type = lib.FPDFPageObj_GetType(object);
    if (type !== types.picture && type !== types.form) return;
    const matrix = times(matrixOf(page, object), outer);
    if (type === types.picture) {
      const size = sizeInSamples(page, object);
      found.push({ number: found.length + 1, object, ...size, place: placeOf(page, matrix) });
    } else if (depth < deepest) {
      const count = lib.FPDFFormObj_CountObjects(object);
      for (let i = 0; i < count; i++)
        visit(lib.FPDFFormObj_GetObject(object, i), matrix, depth + 1);
    }
  };
  const count = lib.FPDFPage_CountObjects(page.page);
  for (let i = 0; i < count; i++) visit(lib.FPDFPage_GetObject(page.page, i), identity, 0);
  return found;
}

function matrixOf({ lib, answer }: Page, object: number): Matrix {
  if (!lib.FPDFPageObj_GetMatrix(object, answer)) return identity;
  const [a, b, c, d, e, f] = lib.pdfium.HEAPF32.subarray(answer / 4);
  return [a!, b!, c!, d!, e!, f!];
}

/** Composes two matrices: `inner` is applied first, then `outer`. */
function times([a, b, c, d, e, f]: Matrix, outer: Matrix): Matrix {
  const [p, q, r, s, t, u] = outer;
  return [
    a * p + b * r,
    a * q + b * s,
    c * p + d * r,
    c * q + d * s,
    e * p + f * r + t,
    e * q + f * s + u,
  ];
}

function sizeInSamples({ lib, answer }: Page, object: number) {
  const isKnown = lib.FPDFImageObj_GetImagePixelSize(object, answer, answer + 4);
  const [width = 0, height = 0] = lib.pdfium.HEAPU32.subarray(answer / 4, answer / 4 + 2);
  return isKnown ? { width, height } : { width: 0, height: 0 };
}

/** The bounding box on the page as displayed (cropped and rotated); the matrix maps the unit square to the picture. */
function placeOf({ lib, answer, page, mm }: Page, [a, b, c, d, e, f]: Matrix): Place {
  // The function returns integers, so these are hundredths of a millimetre.
  const [width, height] = [Math.round(mm.width * 100), Math.round(mm.height * 100)];
  const corners = [
    [e, f],
    [a + e, b + f],
    [c + e, d + f],
    [a + c + e, b + d + f],
  ] as const;
  const shown = corners.map(([x, y]) => {
    lib.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, answer, answer + 4);
    const [shownX, shownY] = lib.pdfium.HEAP32.subarray(answer / 4);
    return [shownX! / 100, shownY! / 100] as const;
  });
  const [xs, ys] = [shown.map(([x]) => x), shown.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { left, top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}

function coversPage({ left, top, width, height }: Place, { mm }: Page): boolean {
  const across = Math.min(left + width, mm.width) - Math.max(left, 0);
  const down = Math.min(top + height, mm.height) - Math.max(top, 0);
  return across >= 0.95 * mm.width && down >= 0.95 * mm.height;
}

/** Removes only general compression filters, so a JPEG remains a JPEG. */
function storedData({ lib }: Page, { object }: PagePicture): Uint8Array {
  const length = lib.FPDFImageObj_GetImageDataDecoded(object, 0, 0);
  return withMemory(lib, length, (address) => {
    lib.FPDFImageObj_GetImageDataDecoded(object, address, length);
    return lib.pdfium.HEAPU8.slice(address, address + length);
  });
}

type Samples = Parameters<typeof savePng>[0];

/** The samples in stored size, with 8 bits each, without masks. */
function samples({ lib }: Page, { object, width, height }: PagePicture, limits: Limits): Samples {
  if (width * height > limits.maxPixels) {
    throw failure('too_many_pixels', { width, height, megapixels: limits.maxPixels / 1e6 });
  }
  const bitmap = lib.FPDFImageObj_GetBitmap(object);
  if (bitmap === 0) throw damaged('contains a picture that cannot be decoded');
  return takeBitmap(lib, bitmap);
}

/** Resolution for rendering: A4 becomes 1240 x 1754 pixels. */
const pageDpi = 150;
const longestPagePx = 4096;
const whole = { bgrx: 3, white: 0xffffffff, withAnnotations: 1 } as const;

function drawPage({ lib, page, mm }: Page): Samples {
  const scale = Math.min(pageDpi / 25.4, longestPagePx / Math.max(mm.width, mm.height));
  const [width, height] = [Math.ceil(mm.width * scale), Math.ceil(mm.height * scale)];
  const bitmap = lib.FPDFBitmap_CreateEx(width, height, whole.bgrx, 0, 0);
  if (bitmap === 0) throw failure('out_of_memory', {});
  lib.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, whole.white);
  lib.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, whole.withAnnotations);
  return takeBitmap(lib, bitmap);
}

/** Bytes per pixel of FPDFBitmap_Gray, _BGR, _BGRx and _BGRA (fpdfview.h). */
const bytesPerPixel: Readonly<Record<number, number>> = { 1: 1, 2: 3, 3: 4, 4: 4 };

/** Converts a bitmap to grey or RGB samples, and destroys it. */
function takeBitmap(lib: WrappedPdfiumModule, bitmap: number): Samples {
  try {
    const size = bytesPerPixel[lib.FPDFBitmap_GetFormat(bitmap)];
    if (size === undefined) throw damaged('contains a picture of a rare kind');
    const [width, height] = [lib.FPDFBitmap_GetWidth(bitmap), lib.FPDFBitmap_GetHeight(bitmap)];
    const [stride, from] = [lib.FPDFBitmap_GetStride(bitmap), lib.FPDFBitmap_GetBuffer(bitmap)];
    const { HEAPU8 } = lib.pdfium;
    const channels = size === 1 ? 1 : 3;
    const data = new Uint8Array(width * height * channels);
    for (let y = 0, to = 0; y < height; y++) {
      for (let at = from + y * stride, x = 0; x < width; x++, at += size) {
        if (channels === 3) {
          data[to++] = HEAPU8[at + 2]!;
          data[to++] = HEAPU8[at + 1]!;
        }
        data[to++] = HEAPU8[at]!;
      }
    }
    return { width, height, channels, data };
  } finally {
    lib.FPDFBitmap_Destroy(bitmap);
  }
}
