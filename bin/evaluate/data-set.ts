/** The labelled crops of a data folder: its `manifest.csv`, split as in training. */

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const splits = ['train', 'calibration', 'val'] as const;
export type Split = (typeof splits)[number];

export interface Sample {
  readonly file: string;
  readonly split: Split;
  readonly isFake: boolean;
  /** For real pictures: camera, web, lossless, web-copy. */
  readonly generator: string;
  readonly source: string;
  /** As named in the original's EXIF; otherwise empty. */
  readonly camera: string;
  /** The first split that has pictures of its generator, or of its type. */
  readonly generatorIn: Split;
}

const repository = resolve(import.meta.dirname, '../..');

/**
 * The given folder, else FORENSICS_DATA from the environment, else `shared/data` next to the
 * repository; null if none exists.
 */
export function findDataDir(named: string | undefined): string | null {
  const places = named
    ? [resolve(named)]
    : [process.env['FORENSICS_DATA'], join(repository, '../shared/data')];
  return places.find((place) => place && existsSync(join(place, 'manifest.csv'))) ?? null;
}

export function readSamples(dataDir: string, split: Split): readonly Sample[] {
  const [head = [], ...rows] = parseCsv(readFileSync(join(dataDir, 'manifest.csv'), 'utf8'));
  const heldOut = readCalibrationSources();
  const samples = rows
    .map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ''])))
    .map((row) => toSample(row, heldOut));
  const generatorsOf = (part: Split) =>
    new Set(samples.filter((one) => one.split === part).map(({ generator }) => generator));
  const known = splits.map((part) => [part, generatorsOf(part)] as const);
  return samples
    .filter((sample) => sample.split === split)
    .map((sample) => {
      const first = known.find(([, generators]) => generators.has(sample.generator));
      return { ...sample, generatorIn: first![0] };
    })
    .toSorted((one, other) => (one.file < other.file ? -1 : 1));
}

function toSample(
  row: Readonly<Record<string, string>>,
  heldOut: ReadonlySet<string>,
): Omit<Sample, 'generatorIn'> {
  const source = row['source'] ?? '';
  const isHeldOut = row['split'] === 'train' && heldOut.has(source);
  return {
    file: row['file'] ?? '',
    split: isHeldOut ? 'calibration' : (splits.find((one) => one === row['split']) ?? 'train'),
    isFake: row['label'] === 'ai-generated',
    generator: row['generator'] ?? '',
    source,
    camera: row['camera'] ?? '',
  };
}

/** The sources that training holds out are listed in one place; read from there, so that the two cannot diverge. */
function readCalibrationSources(): ReadonlySet<string> {
  const text = readFileSync(
    join(repository, 'models/training/forensics_training/data/crops.py'),
    'utf8',
  );
  const block = /^CALIBRATION_SOURCES = frozenset\(\s*\{(.*?)\}/ms.exec(text)?.[1];
  if (block === undefined)
    throw new Error(
      'models/training/forensics_training/data/crops.py names no CALIBRATION_SOURCES',
    );
  return new Set([...block.matchAll(/"([^"]+)"/g)].map((match) => match[1]!));
}

/** RFC 4180: fields may be quoted, quotes are doubled. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    row.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    if (row.length > 1) rows.push(row);
    row = [];
  }
  return rows;
}
