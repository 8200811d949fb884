/**
 * Readers of the formats that consist of boxes: HEIC, AVIF, JPEG 2000 and JPEG XL. Like `readers.ts`, they must not
 * depend on Node.js.
 *
 * @see ISO/IEC 14496-12, 4.2, for boxes; 8.11 there for the item boxes of HEIF, and ISO/IEC 23008-12, 6.
 */

import { failure } from '../contract/errors.ts';
import { ascii, dataView, joinBytes, startsWith } from './bytes.ts';
import { type FileFacts, ordinaryFile } from './file-facts.ts';
import { nameIccProfile } from './icc.ts';

interface Box {
  readonly type: string;
  /** Content without the header, truncated at the end of the file. */
  readonly data: Uint8Array;
  /** Offset of the end of the box, from where reading started. */
  readonly end: number;
  /** False if the file ends before the box does. */
  readonly isWhole: boolean;
}

const maxBoxes = 10_000;

/** The consecutive boxes in `bytes`, up to the first that is invalid. */
function readBoxes(bytes: Uint8Array): readonly Box[] {
  const boxes: Box[] = [];
  const view = dataView(bytes);
  for (let at = 0; at + 8 <= bytes.length && boxes.length < maxBoxes; ) {
    const isLong = view.getUint32(at) === 1 && at + 16 <= bytes.length;
    const header = isLong ? 16 : 8;
    const stated = isLong ? Number(view.getBigUint64(at + 8)) : view.getUint32(at);
    // A size of 0 means that the box ends with the file.
    const size = stated === 0 ? bytes.length - at : stated;
    if (size < header) break;
    const type = ascii(bytes, at + 4, 4);
    // This is a second file, appended to the first.
    if (type === 'ftyp' && boxes.some((box) => box.type === type)) break;
    const end = Math.min(at + size, bytes.length);
    const isWhole = at + size <= bytes.length;
    boxes.push({ type, data: bytes.subarray(at + header, end), end, isWhole });
    at = end;
  }
  return boxes;
}

/** The end of the last complete box: anything after it is truncated, or is not a box. */
function endOfBoxes(boxes: readonly Box[]): number {
  return boxes.findLast(({ isWhole }) => isWhole)?.end ?? 0;
}

function boxesOf(boxes: readonly Box[], type: string): readonly Uint8Array[] {
  return boxes.filter((box) => box.type === type).map(({ data }) => data);
}

/** The UUID of the C2PA content credentials box. @see C2PA Technical Specification 2.2, A.5. */
const credentialsId = 'd8fec3d61b0e483c92975828877ec481';

/** @param id - 32 hexadecimal digits. */
function uuidBoxes(boxes: readonly Box[], id: string): readonly Uint8Array[] {
  const idBytes = (id.match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16));
  return boxesOf(boxes, 'uuid')
    .filter((data) => startsWith(data, idBytes))
    .map((data) => data.subarray(16));
}

function hasCredentialsBox(boxes: readonly Box[]): boolean {
  return boxesOf(boxes, 'jumb').length > 0 || uuidBoxes(boxes, credentialsId).length > 0;
}

/** A file that is `bare` is a codestream without boxes around it. */
function openBoxes(bytes: Uint8Array) {
  const bare = bytes[0] === 0xff ? bytes : null;
  const boxes = bare ? [] : readBoxes(bytes);
  const endOffset = bare ? bytes.length : endOfBoxes(boxes);
  return { boxes, bare, rest: { hasCredentials: hasCredentialsBox(boxes), endOffset } };
}

// HEIC and AVIF: the primary picture, apart from thumbnail, gain map, depth, burst and live photo.

const maxItems = 4000;

/** @throws {ForensicsError} `image_unreadable`. */
export function readHeif(bytes: Uint8Array, format: string): FileFacts {
  const top = readBoxes(bytes);
  const [meta = new Uint8Array()] = boxesOf(top, 'meta');
  const boxes = readBoxes(meta.subarray(4));
  const [primaryBox] = boxesOf(boxes, 'pitm');
  if (primaryBox === undefined) {
    throw failure('damaged', { format, what: 'does not say which picture to show' });
  }
  const primary = readNumber(primaryBox, 4, primaryBox[0] === 0 ? 2 : 4);
  const properties = propertiesOf(primary, boxes);
  const [extent] = boxesOf(properties, 'ispe');
  if (extent === undefined || extent.length < 12)
    throw failure('damaged', { format, what: 'does not give a size' });
  const items = readItems(boxes);
  const read = (wanted: (item: Item) => boolean) =>
    items.filter(wanted).flatMap((item) => readItem(item.id, boxes, bytes) ?? []);
  const profile = boxesOf(properties, 'colr').find((data) =>
    /^(?:prof|rICC)$/.test(ascii(data, 0, 4)),
  );
  const [bits] = boxesOf(properties, 'pixi');
  const isAnimated = top.some(({ type }) => type === 'moov');
  const hasAlpha = hasAlphaPlane(primary, boxes);
  const colours = bits?.[4] ?? 3;
  return {
    ...ordinaryFile,
    ...shownSize(extent, boxesOf(properties, 'clap')[0], format),
    bitsPerSample: bits?.[5] ?? 8,
    channels: colours + (hasAlpha ? 1 : 0),
    colourSpace: colours === 1 ? 'grey' : 'YCbCr',
    hasAlpha,
    iccProfile: nameIccProfile(profile?.subarray(4)),
    ownOrientation: readTurns(properties),
    notes: [
      ...(isAnimated ? (['first_frame_of_animation'] as const) : []),
      ...(hasOtherPictures(primary, items, boxes) ? (['main_picture'] as const) : []),
    ],
    // The TIFF structure is preceded by its four-byte offset.
    exif: read(({ type }) => type === 'Exif').map((item) =>
      item.subarray(4 + readNumber(item, 0, 4)),
    ),
    xmp: read(({ type, contentType }) => type === 'mime' && contentType === 'application/rdf+xml'),
    hasCredentials: hasCredentialsBox(top),
    endOffset: endOfBoxes(top),
  };
}

/** Maximum number of pixels to decode before cropping. */
const maxStoredPixels = 100_000_000;

/** Size of the picture after cropping by `clap`. */
function shownSize(extent: Uint8Array, clap: Uint8Array | undefined, format: string) {
  const stored = { width: readNumber(extent, 4, 4), height: readNumber(extent, 8, 4) };
  if (clap === undefined || clap.length < 16) return stored;
  const width = Math.round(readNumber(clap, 0, 4) / readNumber(clap, 4, 4));
  const height = Math.round(readNumber(clap, 8, 4) / readNumber(clap, 12, 4));
  const isInside = width >= 1 && height >= 1 && width <= stored.width && height <= stored.height;
  if (!isInside) throw failure('damaged', { format, what: 'is cropped to nothing' });
  // Limits apply to the visible size, but memory is needed for the stored size.
  if (stored.width * stored.height > maxStoredPixels) {
    throw failure('too_many_pixels', { ...stored, megapixels: maxStoredPixels / 1e6 });
  }
  return { width, height };
}

/** Whether there are other pictures, as in a burst or album, apart from thumbnails, tiles and auxiliary planes. */
function hasOtherPictures(primary: number, items: readonly Item[], boxes: readonly Box[]): boolean {
  const { references, idBytes } = readReferences(boxes);
  const parts = references.flatMap(({ type, data }) => {
    if (type === 'thmb' || type === 'auxl') return readNumber(data, 0, idBytes);
    if (type !== 'dimg') return [];
    const count = Math.min(readNumber(data, idBytes, 2), maxItems);
    return Array.from({ length: count }, (_, i) =>
      readNumber(data, idBytes + 2 + i * idBytes, idBytes),
    );
  });
  const isPart = new Set([primary, ...parts]);
  return items.some(
    ({ id, type, isHidden }) =>
      !isHidden && !isPart.has(id) && /^(?:hvc1|hev1|av01|grid|iovl|iden)$/.test(type),
  );
}

/** References between items, and the size of the item numbers in them. */
function readReferences(boxes: readonly Box[]) {
  const [list = new Uint8Array()] = boxesOf(boxes, 'iref');
  return { references: readBoxes(list.subarray(4)), idBytes: list[0] === 0 ? 2 : 4 };
}

/** Reads an integer of 0, 1, 2, 4 or 8 bytes; 0 past the end. */
function readNumber(bytes: Uint8Array, at: number, size: number): number {
  if (size === 0 || at + size > bytes.length) return 0;
  const view = dataView(bytes);
  if (size === 1) return view.getUint8(at);
  if (size === 2) return view.getUint16(at);
  return size === 4 ? view.getUint32(at) : Number(view.getBigUint64(at));
}

type Item = ReturnType<typeof readItems>[number];

function readItems(boxes: readonly Box[]) {
  const [list] = boxesOf(boxes, 'iinf');
  if (list === undefined) return [];
  const entries = boxesOf(readBoxes(list.subarray(list[0] === 0 ? 6 : 8)), 'infe');
  return entries.slice(0, maxItems).map((entry) => {
    const idBytes = entry[0] === 3 ? 4 : 2;
    const at = 4 + idBytes + 2;
    // The name ends with NUL, and the content type follows.
    const [, contentType = ''] = ascii(entry, at + 4, 200).split('\0');
    const isHidden = ((entry[3] ?? 0) & 1) === 1;
    return { id: readNumber(entry, 4, idBytes), type: ascii(entry, at, 4), contentType, isHidden };
  });
}

function propertiesOf(item: number, boxes: readonly Box[]): readonly Box[] {
  const [container = new Uint8Array()] = boxesOf(boxes, 'iprp');
  const inside = readBoxes(container);
  const [list = new Uint8Array()] = boxesOf(inside, 'ipco');
  const all = readBoxes(list);
  const indices = boxesOf(inside, 'ipma').flatMap((map) => associationsOf(item, map));
  return indices.flatMap((index) => all[index - 1] ?? []);
}

function associationsOf(item: number, map: Uint8Array): readonly number[] {
  const idBytes = map[0] === 0 ? 2 : 4;
  const isWide = ((map[3] ?? 0) & 1) === 1;
  const count = Math.min(readNumber(map, 4, 4), maxItems);
  let at = 8;
  for (let i = 0; i < count && at < map.length; i++) {
    const id = readNumber(map, at, idBytes);
    const length = map[at + idBytes] ?? 0;
    at += idBytes + 1;
    if (id === item) {
      return Array.from({ length }, (_, k) =>
        isWide ? readNumber(map, at + 2 * k, 2) & 0x7fff : readNumber(map, at + k, 1) & 0x7f,
      );
    }
    at += (isWide ? 2 : 1) * length;
  }
  return [];
}

/** Whether an auxiliary picture is declared to be the alpha plane of the primary one. */
function hasAlphaPlane(primary: number, boxes: readonly Box[]): boolean {
  const { references, idBytes } = readReferences(boxes);
  return boxesOf(references, 'auxl').some((data) => {
    const from = readNumber(data, 0, idBytes);
    if (readNumber(data, idBytes + 2, idBytes) !== primary) return false;
    // The names that MIAF and HEVC use.
    return boxesOf(propertiesOf(from, boxes), 'auxC').some((type) =>
      /:alpha|:hevc:2015:auxid:1/.test(ascii(type, 4, 100)),
    );
  });
}

/** EXIF orientations for quarter turns clockwise, without mirroring and with mirroring before the turns. */
const orientations = { plain: [1, 6, 3, 8], mirrored: [2, 7, 4, 5] } as const;

/** `irot` rotates anticlockwise by quarter turns; `imir` swaps top and bottom (0) or left and right (1). */
function readTurns(properties: readonly Box[]): number {
  let turns = 0;
  let isMirrored = false;
  for (const { type, data } of properties) {
    const value = (data[0] ?? 0) & 3;
    if (type === 'irot') turns += 4 - value;
    if (type !== 'imir') continue;
    isMirrored = !isMirrored;
    turns = (value & 1) === 1 ? -turns : 2 - turns;
  }
  return orientations[isMirrored ? 'mirrored' : 'plain'][((turns % 4) + 4) % 4]!;
}

/** The bytes of an item, joined from its extents; null if they cannot be found. */
function readItem(id: number, boxes: readonly Box[], bytes: Uint8Array): Uint8Array | null {
  const [locations] = boxesOf(boxes, 'iloc');
  const extents = locations === undefined ? null : extentsOf(id, locations);
  if (extents === null) return null;
  const source = extents.isInner ? boxesOf(boxes, 'idat')[0] : bytes;
  if (source === undefined) return null;
  return joinBytes(extents.ranges.map(([at, length]) => source.subarray(at, at + length)));
}

const maxExtents = 100;

/** Offsets and lengths; `isInner`: whether the data is in the `idat` box beside the list, not elsewhere in the file. */
function extentsOf(wanted: number, list: Uint8Array) {
  const version = list[0] ?? 0;
  const [sizes = 0, more = 0] = list.subarray(4, 6);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 4, sizes & 15, more >> 4];
  const indexBytes = version === 0 ? 0 : more & 15;
  const idBytes = version < 2 ? 2 : 4;
  const count = Math.min(readNumber(list, 6, idBytes), maxItems);
  let at = 6 + idBytes;
  for (let i = 0; i < count && at < list.length; i++) {
    const id = readNumber(list, at, idBytes);
    at += idBytes;
    const method = version === 0 ? 0 : readNumber(list, at, 2) & 15;
    at += (version === 0 ? 0 : 2) + 2;
    const base = readNumber(list, at, baseBytes);
    at += baseBytes;
    const extents = Math.min(readNumber(list, at, 2), maxExtents);
    at += 2;
    const ranges: [number, number][] = [];
    for (let k = 0; k < extents; k++, at += indexBytes + offsetBytes + lengthBytes) {
      const offset = readNumber(list, at + indexBytes, offsetBytes);
      ranges.push([base + offset, readNumber(list, at + indexBytes + offsetBytes, lengthBytes)]);
    }
    if (id === wanted) return method > 1 ? null : { isInner: method === 1, ranges };
  }
  return null;
}

// JPEG 2000, file or codestream. @see ITU-T T.800: Annex A (SIZ), Annex I (JP2).

/** Adobe XMP specification part 3, 1.1.4; then the box in which several programs store EXIF. */
const ids = {
  xmp: 'be7acfcb97a942e89c71999491e3afac',
  exif: '4a706754696666457869662d3e4a5032',
} as const;

export function readJpeg2000(bytes: Uint8Array): FileFacts {
  const { boxes, bare, rest } = openBoxes(bytes);
  const stream = bare ?? boxesOf(boxes, 'jp2c')[0];
  // SOC comes first, then SIZ: length, capabilities and the reference grid.
  if (stream === undefined || stream.length < 42 || stream[3] !== 0x51)
    throw failure('damaged', { format: 'JPEG 2000', what: 'contains no picture data' });
  const view = dataView(stream);
  const channels = view.getUint16(40);
  const header = boxesOf(boxes, 'jp2h').flatMap((data) => readBoxes(data));
  const profile = boxesOf(header, 'colr').find((data) => data[0] === 2);
  return {
    ...ordinaryFile,
    width: view.getUint32(8) - view.getUint32(16),
    height: view.getUint32(12) - view.getUint32(20),
    bitsPerSample: 1 + ((stream[42] ?? 7) & 0x7f),
    channels,
    colourSpace: channels < 3 ? 'grey' : 'RGB',
    hasAlpha: channels === 2 || channels === 4,
    iccProfile: nameIccProfile(profile?.subarray(3)),
    // For JPEG 2000, no viewer applies the EXIF orientation.
    ownOrientation: 1,
    exif: uuidBoxes(boxes, ids.exif),
    xmp: uuidBoxes(boxes, ids.xmp),
    ...rest,
  };
}

// JPEG XL, file or codestream. @see ISO/IEC 18181-1: A.3 (SizeHeader), A.6 (ImageMetadata); 18181-2 for boxes.

export function readJpegXl(bytes: Uint8Array): FileFacts {
  const { boxes, bare, rest } = openBoxes(bytes);
  // Each part starts with its sequence number.
  const stream =
    bare ??
    boxesOf(boxes, 'jxlc')[0] ??
    joinBytes(boxesOf(boxes, 'jxlp').map((part) => part.subarray(4)));
  if (stream.length < 12)
    throw failure('damaged', { format: 'JPEG XL', what: 'contains no picture data' });
  const { orientation, isAnimated, isGrey, hasAlpha, ...header } = readHeader(stream);
  return {
    ...ordinaryFile,
    ...header,
    channels: (isGrey ? 1 : 3) + (hasAlpha ? 1 : 0),
    colourSpace: isGrey ? 'grey' : 'RGB',
    hasAlpha,
    ownOrientation: orientation,
    notes: isAnimated ? ['first_frame_of_animation'] : [],
    // The TIFF structure is preceded by its four-byte offset.
    exif: boxesOf(boxes, 'Exif').map((data) =>
      data.subarray(data.length < 4 ? 4 : 4 + dataView(data).getUint32(0)),
    ),
    xmp: boxesOf(boxes, 'xml '),
    ...rest,
  };
}

/** The proportions that have a code, from 1 on. */
const ratios = { across: [1, 12, 4, 3, 16, 5, 2], down: [1, 10, 3, 2, 9, 4, 1] } as const;

function readHeader(stream: Uint8Array) {
  let at = 16;
  const bits = (count: number) => {
    let value = 0;
    for (let i = 0; i < count; i++, at++)
      value += (((stream[at >> 3] ?? 0) >> (at & 7)) & 1) * 2 ** i;
    return value;
  };
  const isSmall = bits(1) === 1;
  const side = () => (isSmall ? 8 * (1 + bits(5)) : 1 + bits([9, 13, 18, 30][bits(2)]!));
  const height = side();
  const code = bits(3);
  const [across, down] = [ratios.across[code - 1], ratios.down[code - 1]];
  const width = across && down ? Math.floor((height * across) / down) : side();
  const stored = { width, height, bitsPerSample: 8, isGrey: false, hasAlpha: false };
  if (bits(1) === 1) return { ...stored, orientation: 1, isAnimated: false };
  const hasExtra = bits(1) === 1;
  const orientation = 1 + (hasExtra ? bits(3) : 0);
  // An intrinsic size or a preview may come before the animation flag, and details of the animation after it.
  const isPlain = !hasExtra || bits(2) === 0;
  const isAnimated = hasExtra && isPlain && bits(1) === 1;
  return { ...stored, orientation, isAnimated, ...(isPlain && !isAnimated && readSamples(bits)) };
}

function readSamples(bits: (count: number) => number) {
  const isFloat = bits(1) === 1;
  const depths = isFloat ? [32, 16, 24] : [8, 10, 12];
  const bitsPerSample = depths[bits(2)] ?? 1 + bits(6);
  // The size of the exponent, then whether 16 bits are enough for decoding.
  bits(isFloat ? 5 : 1);
  const extraChannels = bits(2);
  const hasAlpha = extraChannels === 1 && bits(1) === 1;
  // The descriptions of other extra channels have no fixed length.
  if (extraChannels > 0 && !hasAlpha) return { bitsPerSample };
  // Stored as XYB; colours as in sRGB; with a profile; colour space.
  const [, isDefault, , space] = [bits(1), bits(1), bits(1), bits(2)];
  return { bitsPerSample, hasAlpha, isGrey: isDefault === 0 && space === 1 };
}
