/**
 * The EXIF orientation, read by hand: who takes a picture in asks for it outside the children that may die of a hostile
 * file, and the general reader needs seconds for a block made to keep it busy.
 */

const orientationTag = 0x0112;
const entryBytes = 12;
/** Field types of TIFF 6.0: a whole number of two or four bytes. */
const fieldTypes = { short: 3, long: 4 } as const;

/**
 * How the stored picture is turned and mirrored to stand upright.
 *
 * @param tiff - A TIFF structure, without the `Exif\0\0` before it; null when the file holds none.
 * @returns 1..8; 1 when absent, impossible or beyond the end of the block.
 * @see TIFF 6.0, section 2, for the directory; EXIF 2.32, tag 0x0112, for the values.
 */
export function readOrientation(tiff: Uint8Array | null): number {
  if (tiff === null || tiff.length < 8) return 1;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  const order = view.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return 1;
  const isLittleEndian = order === 0x4949;
  const directory = view.getUint32(4, isLittleEndian);
  if (directory + 2 > tiff.length) return 1;
  const first = directory + 2;
  const inBlock = Math.floor((tiff.length - first) / entryBytes);
  const entries = Math.min(view.getUint16(directory, isLittleEndian), inBlock);
  for (let at = first; at < first + entries * entryBytes; at += entryBytes) {
    if (view.getUint16(at, isLittleEndian) !== orientationTag) continue;
    const value = readValue(view, at, isLittleEndian);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** How the pixels of a picture lie: as a viewer shows them, or as the file holds them. */
export type Stance = 'upright' | 'stored';

/** True when the upright picture is as wide as the stored one is high. */
export function isQuarterTurn(orientation: number): boolean {
  return orientation >= 5;
}

/** An entry: tag, type, count, then the value itself when four bytes hold it. */
function readValue(view: DataView, at: number, isLittleEndian: boolean): number {
  const type = view.getUint16(at + 2, isLittleEndian);
  if (type === fieldTypes.short) return view.getUint16(at + 8, isLittleEndian);
  return type === fieldTypes.long ? view.getUint32(at + 8, isLittleEndian) : 0;
}
