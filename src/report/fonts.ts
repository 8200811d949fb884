/** The two fonts of a report, read once a process. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export interface Fonts {
  readonly regular: Buffer;
  readonly bold: Buffer;
}

let known: Fonts | undefined;

/**
 * DejaVu Sans Condensed, TrueType. Its licence (Bitstream Vera, with additions in the public domain) allows to embed the
 * fonts or parts of them in documents.
 */
export function openFonts(): Fonts {
  known ??= { regular: read('DejaVuSansCondensed'), bold: read('DejaVuSansCondensed-Bold') };
  return known;
}

function read(name: string): Buffer {
  const { resolve } = createRequire(import.meta.url);
  return withoutShaping(readFileSync(resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)));
}

/** Kerning, ligatures and mark positions. */
const shapingTables = new Set(['GSUB', 'GPOS', 'GDEF', 'kern']);

/**
 * The font with its shaping tables hidden, by another tag in the table directory. Shaping took half the time of a
 * report, and its ligatures would join letters that must stay apart: the ff and fi of a checksum or a file name.
 *
 * @see ISO/IEC 14496-22, "Table directory": 12 bytes of header, then 16 a table, of which 4 are the tag.
 */
export function withoutShaping(font: Buffer): Buffer {
  const hidden = Buffer.from(font);
  const tables = hidden.readUInt16BE(4);
  for (let table = 0; table < tables; table++) {
    const at = 12 + 16 * table;
    if (shapingTables.has(hidden.toString('latin1', at, at + 4)))
      hidden.write('----', at, 'latin1');
  }
  return hidden;
}
