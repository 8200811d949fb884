/** Reads the blocks of a GIF file. @see CompuServe GIF89a; Adobe XMP specification part 3, 1.1.2, for the XMP block. */

import { failure } from '../contract/failure-reasons.ts';
import { ascii, dataView, joinBytes } from './bytes.ts';
import { type FileFacts, ordinaryFile } from './file-facts.ts';

const maxBlocks = 100_000;
const blocks = { extension: 0x21, image: 0x2c, trailer: 0x3b } as const;
const extensions = { control: 0xf9, comment: 0xfe, application: 0xff } as const;

/** @throws {ForensicsError} `image_unreadable`. */
export function readGif(bytes: Uint8Array): FileFacts {
  if (bytes.length < 13) throw failure('cut_off', { format: 'GIF' });
  const view = dataView(bytes);
  const found = { frames: 0, hasAlpha: false, xmp: [] as Uint8Array[], comments: [] as string[] };
  let at = 13 + colourTableBytes(bytes[10]!);
  for (let count = 0; at < bytes.length && count < maxBlocks; count++) {
    const kind = bytes[at];
    if (kind === blocks.trailer) {
      at += 1;
      break;
    } else if (kind === blocks.image) {
      found.frames++;
      at = skipBlocks(bytes, at + 11 + colourTableBytes(bytes[at + 9] ?? 0));
    } else if (kind === blocks.extension) at = readExtension(bytes, at, found);
    else break;
  }
  const { frames, hasAlpha, xmp, comments } = found;
  if (frames === 0) throw failure('damaged', { format: 'GIF', what: 'contains no picture data' });
  return {
    ...ordinaryFile,
    width: view.getUint16(6, true),
    height: view.getUint16(8, true),
    channels: hasAlpha ? 4 : 3,
    colourSpace: 'palette',
    hasAlpha,
    notes: frames > 1 ? ['first_frame_of_animation'] : [],
    xmp,
    comments,
    endOffset: Math.min(at, bytes.length),
  };
}

function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** @returns the offset of the end of the sub-blocks that start at `at`. */
function skipBlocks(bytes: Uint8Array, at: number): number {
  let end = at;
  while (end < bytes.length && bytes[end] !== 0) end += 1 + bytes[end]!;
  return end + 1;
}

function readExtension(
  bytes: Uint8Array,
  at: number,
  found: { hasAlpha: boolean; xmp: Uint8Array[]; comments: string[] },
): number {
  const label = bytes[at + 1];
  const end = skipBlocks(bytes, at + 2);
  if (label === extensions.control) found.hasAlpha ||= ((bytes[at + 3] ?? 0) & 1) === 1;
  if (label === extensions.comment) found.comments.push(commentAt(bytes, at + 2));
  if (label === extensions.application && ascii(bytes, at + 3, 11) === 'XMP DataXMP') {
    // The packet follows the name in one piece; a trailer of 258 bytes makes it readable as sub-blocks.
    found.xmp.push(bytes.subarray(at + 14, Math.max(at + 14, end - 258)));
  }
  return end;
}

function commentAt(bytes: Uint8Array, start: number): string {
  const parts: Uint8Array[] = [];
  for (let at = start; at < bytes.length && bytes[at] !== 0; at += 1 + bytes[at]!) {
    parts.push(bytes.subarray(at + 1, at + 1 + bytes[at]!));
  }
  return new TextDecoder().decode(joinBytes(parts));
}
