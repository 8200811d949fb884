/** Pictures with known changes, and untouched ones. */

import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseCsv, readSamples, type Split } from '../data-set.ts';

export interface Case {
  readonly name: string;
  /** `misd`, `comofod`, ...; `simulated` for pairs, `photographs` for the real crops of a split. */
  readonly set: string;
  /** `splice`, `copymove`, ...; empty for an untouched picture. */
  readonly type: string;
  /** Pictures of one source are not independent. */
  readonly source: string;
  readonly path: string;
  /** Null for an untouched picture. */
  readonly mask: string | null;
}

/** `manipulated/manifest.csv` of a data folder: only for validation; nothing may be fitted or chosen on it. */
export function readManipulated(dataDir: string): readonly Case[] {
  return rowsOf(join(dataDir, 'manipulated/manifest.csv')).map((row) => ({
    name: row['file']!,
    set: row['dataset']!,
    type: typeOf(row),
    source: row['dataset']!,
    path: join(dataDir, row['file']!),
    mask: row['mask'] ? join(dataDir, row['mask']) : null,
  }));
}

/** A lossless splice keeps traces that saving as JPEG would blur, so it is a separate type. */
function typeOf({ type = '', file = '' }: Readonly<Record<string, string>>): string {
  return type === 'splice' && !file.endsWith('.jpg') ? 'splice, lossless' : type;
}

/** A folder written by `locator-photograph-pairs`: each simulated change and its untouched counterpart. */
export function readPairs(folder: string): readonly Case[] {
  return rowsOf(join(folder, 'index.csv')).flatMap((row) => {
    const { number = '', kind = '', changed = '', twin = '', mask = '' } = row;
    const pair = { set: 'simulated', source: `${basename(folder)} ${number}` };
    return [
      { ...pair, name: changed, type: kind, path: join(folder, changed), mask: join(folder, mask) },
      { ...pair, name: twin, type: '', path: join(folder, twin), mask: null },
    ];
  });
}

/** Crops of unchanged photographs. */
export function readPhotographs(dataDir: string, split: Split): readonly Case[] {
  return readSamples(dataDir, split)
    .filter(({ isFake }) => !isFake)
    .map(({ file, source }) => ({
      name: file,
      set: 'photographs',
      type: '',
      source,
      path: join(dataDir, file),
      mask: null,
    }));
}

function rowsOf(file: string): readonly Readonly<Record<string, string>>[] {
  if (!existsSync(file)) throw new Error(`${file} is missing.`);
  const [head = [], ...rows] = parseCsv(readFileSync(file, 'utf8'));
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ''])));
}
