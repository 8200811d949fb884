/** All text in a file's metadata, untruncated, with its place and field. Programs record there what they did. */

import { type ExifText, readExifClues } from './exif.ts';
import { readIptc } from './iptc.ts';
import type { MetadataBlocks, MetadataPlace, Warning } from './metadata-blocks.ts';
import { untilNul } from './text.ts';
import { readDirectories } from './tiff.ts';
import { readXmp, type XmpValue } from './xmp.ts';

export interface FileText {
  readonly place: MetadataPlace;
  /** Keyword, tag name, or path of an XMP property. */
  readonly field: string;
  readonly text: string;
}

export interface FileTexts {
  /** In file order, place by place. */
  readonly all: readonly FileText[];
  /** Values by packet. */
  readonly xmp: readonly (readonly XmpValue[])[];
  readonly warnings: readonly Warning[];
}

/** Larger blocks are not read: this is sixteen times the largest packets that Photoshop writes. */
const maxBlockBytes = 16 * 1024 * 1024;

/** A broken block becomes a warning. Never throws. */
export function readFileTexts(blocks: MetadataBlocks): FileTexts {
  const warnings: Warning[] = [];
  const { exif, xmp, iptc } = withNested(blocks);
  const packets = readable('xmp', xmp, warnings).map((packet) => readPacket(packet, warnings));
  const records = readable('iptc', iptc, warnings).flatMap(readIptc);
  const all: readonly FileText[] = [
    ...blocks.texts.map(({ place, keyword, text }) => ({ place, field: keyword, text })),
    ...exif.map(({ field, text }) => ({ place: 'exif', field, text }) as const),
    ...packets.flat().map(({ path, text }) => ({ place: 'xmp', field: path, text }) as const),
    ...records.map(([field, text]) => ({ place: 'iptc', field, text }) as const),
  ];
  return {
    all: all
      .map((one) => ({ ...one, text: untilNul(one.text) }))
      .filter(({ text }) => text.trim() !== ''),
    xmp: packets,
    warnings,
  };
}

interface Sources {
  readonly exif: readonly ExifText[];
  readonly xmp: readonly Uint8Array[];
  readonly iptc: readonly Uint8Array[];
}

/** Fields of a TIFF directory that are blocks themselves: XMP, IPTC and Photoshop resources. */
const nested = { xmp: [0x02bc], iptc: [0x83bb, 0x8649] } as const;

function withNested({ exif, xmp, photoshop }: MetadataBlocks): Sources {
  const directories = exif.map((tiff) => readDirectories(tiff).primary);
  const fields = (tags: readonly number[]) =>
    directories.flatMap((primary) => tags.flatMap((tag) => primary.get(tag)?.bytes ?? []));
  return {
    exif: readExifClues(exif).texts,
    xmp: [...xmp, ...fields(nested.xmp)],
    iptc: [...photoshop, ...fields(nested.iptc)],
  };
}

function readable(
  place: MetadataPlace,
  blocks: readonly Uint8Array[],
  warnings: Warning[],
): readonly Uint8Array[] {
  return blocks.filter(({ length }) => {
    if (length > maxBlockBytes)
      warnings.push({ code: 'block_too_large', values: { place, bytes: length } });
    return length <= maxBlockBytes;
  });
}

function readPacket(packet: Uint8Array, warnings: Warning[]): readonly XmpValue[] {
  try {
    const { values, isWhole } = readXmp(packet);
    if (!isWhole) warnings.push({ code: 'block_read_in_part', values: { place: 'xmp' } });
    return values;
  } catch {
    // The picture does not depend on its metadata, so the loss is reported instead of failing.
    warnings.push({ code: 'block_unreadable', values: { place: 'xmp' } });
    return [];
  }
}
