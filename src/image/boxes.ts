/** Boxes as used by ISO base media files, JPEG 2000 and JPEG XL. @see ISO/IEC 14496-12, 4.2. */

import { ascii, dataView, startsWith } from './bytes.ts';

export interface Box {
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
export function readBoxes(bytes: Uint8Array): readonly Box[] {
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
export function endOfBoxes(boxes: readonly Box[]): number {
  return boxes.findLast(({ isWhole }) => isWhole)?.end ?? 0;
}

export function boxesOf(boxes: readonly Box[], type: string): readonly Uint8Array[] {
  return boxes.filter((box) => box.type === type).map(({ data }) => data);
}

/** The UUID of the C2PA content credentials box. @see C2PA Technical Specification 2.2, A.5. */
const credentialsId = 'd8fec3d61b0e483c92975828877ec481';

/** @param id - 32 hexadecimal digits. */
export function uuidBoxes(boxes: readonly Box[], id: string): readonly Uint8Array[] {
  const idBytes = (id.match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16));
  return boxesOf(boxes, 'uuid')
    .filter((data) => startsWith(data, idBytes))
    .map((data) => data.subarray(16));
}

export function hasCredentialsBox(boxes: readonly Box[]): boolean {
  return boxesOf(boxes, 'jumb').length > 0 || uuidBoxes(boxes, credentialsId).length > 0;
}
