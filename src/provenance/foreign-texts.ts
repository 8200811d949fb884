/** Every text of a file in which a program may tell what it did, with the place it stands in. */

import { exifTexts, type ExifClues } from '../image/exif-clues.ts';
import type { Metadata, MetadataBlocks } from '../image/metadata.ts';
import type { DeclarationPlace } from '../contract/vocabulary.ts';

export interface ForeignText {
  readonly place: DeclarationPlace;
  readonly field: string;
  readonly text: string;
}

export interface ForeignTexts {
  readonly all: readonly ForeignText[];
  /** The texts of these fields, in the order of the file, whatever place they stand in. */
  of(...fields: readonly string[]): readonly ForeignText[];
}

interface Sources {
  /** PNG texts whole: a workflow is longer than what is kept of a text. */
  readonly pngText: MetadataBlocks['pngText'];
  readonly exif: ExifClues['texts'];
  readonly metadata: Pick<Metadata, 'xmp' | 'iptc'>;
}

export function gatherTexts({ pngText, exif, metadata }: Sources): ForeignTexts {
  const all: readonly ForeignText[] = [
    ...pngText.map(([field, text]) => ({ place: 'png-text', field, text }) as const),
    ...exifTexts.map((field) => ({ place: 'exif', field, text: exif[field] ?? '' }) as const),
    ...fieldsOf('xmp', metadata.xmp),
    ...fieldsOf('iptc', metadata.iptc),
  ].filter(({ text }) => text !== '');
  return {
    all,
    of: (...fields) => all.filter(({ field }) => fields.includes(field)),
  };
}

function fieldsOf(place: 'xmp' | 'iptc', tags: Metadata['xmp']): readonly ForeignText[] {
  return Object.entries(tags).map(([field, value]) => ({ place, field, text: `${value}` }));
}
