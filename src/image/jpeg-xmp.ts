/**
 * Joins the extended XMP of a JPEG, which does not fit into one segment and is spread over several.
 *
 * @see Adobe XMP specification part 3, 1.1.3.1.
 */

import { hash } from 'node:crypto';
import { ascii, dataView } from './bytes.ts';
import type { Warning } from './metadata-blocks.ts';

interface ExtendedXmp {
  readonly packets: readonly Uint8Array[];
  readonly warnings: readonly Warning[];
}

interface Part {
  /** MD5 of the whole packet, as 32 hexadecimal digits. */
  readonly id: string;
  /** Length of the whole packet in bytes. */
  readonly length: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

const headerBytes = 40;

/**
 * Joins each packet from its parts in any order. A packet with missing parts or a wrong checksum is still read, with a
 * warning.
 *
 * @param parts - segments after their identifier.
 * @param packets - standard packets, which name the extended one.
 */
export function joinExtendedXmp(
  parts: readonly Uint8Array[],
  packets: readonly Uint8Array[],
): ExtendedXmp {
  const named = packets.map((packet) => Buffer.from(packet).toString('latin1').toUpperCase());
  const packetsById = Map.groupBy(parts.flatMap(readPart), ({ id, length }) => `${id} ${length}`);
  const warnings = new Map<string, Warning>();
  const warn = (code: 'extended_xmp_incomplete' | 'extended_xmp_differs') =>
    warnings.set(code, { code, values: {} });
  const joined = [...packetsById.values()].map((whole) => {
    const { id, length } = whole[0]!;
    const bytes = joinParts(whole);
    const isSame = hash('md5', bytes).toUpperCase() === id;
    if (bytes.length !== length) warn('extended_xmp_incomplete');
    else if (!isSame || !named.some((packet) => packet.includes(id))) warn('extended_xmp_differs');
    return bytes;
  });
  if (packetsById.size === 0 && parts.length > 0) warn('extended_xmp_incomplete');
  return { packets: joined, warnings: [...warnings.values()] };
}

function readPart(segment: Uint8Array): readonly Part[] {
  if (segment.length <= headerBytes) return [];
  const view = dataView(segment);
  const [length, offset] = [view.getUint32(32), view.getUint32(36)];
  const id = ascii(segment, 0, 32).toUpperCase();
  return [{ id, length, offset, bytes: segment.subarray(headerBytes) }];
}

/** Sorts by offset and uses each byte once; gaps are left out. */
function joinParts(parts: readonly Part[]): Uint8Array {
  let end = 0;
  const pieces = parts
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, bytes }) => {
      const piece = bytes.subarray(Math.max(0, end - offset));
      end = Math.max(end, offset + bytes.length);
      return piece;
    });
  return Buffer.concat(pieces);
}
