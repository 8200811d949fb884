/** Localisation on pictures that people changed, and false alarms on unchanged photographs. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { localisingDetectors } from '../../../src/detectors/list.ts';
import type { Models } from '../../../src/engine/schedule.ts';
import type { Condition } from '../conditions.ts';
import { type Case, readManipulated, readPairs, readPhotographs } from './cases.ts';
import { heldOutOf, manifestFigures } from './figures.ts';
import { printManipulated } from './print.ts';
import { readCase, type Row } from './read-cases.ts';
import { headsOf, linesOf } from './readings.ts';

export interface Asked {
  readonly dataDir: string;
  /** Folders of simulated changes; see `readPairs`. */
  readonly pairs: readonly string[];
  /** A data folder whose photographs are used instead of those of `dataDir`. */
  readonly photographs: string;
  readonly models: Models;
  /** The maximum number of cases of each kind. */
  readonly limit: number;
}

const methods = localisingDetectors.map(({ method }) => method);
const conditions = ['as is', 'jpeg 75', 'half'] as const satisfies readonly Condition[];

/**
 * The sets of `manipulated` and the photographs of val. Nothing was fitted or chosen on either
 * except the weights of the fake map, which no figure of the manifest uses.
 *
 * @returns tables for a terminal, and their part for the manifest of the localisation model.
 */
export async function measureManipulated({ dataDir, pairs, photographs, models, limit }: Asked) {
  const sets = spread(readManipulated(dataDir), limit);
  const simulated = pairs.flatMap((folder) => readPairs(folder).slice(0, 2 * limit));
  const untouched = spread(readPhotographs(photographs, 'val'), limit);
  const rows: Row[] = [];
  await eachRow(sets, models, ['jpeg 95', ...conditions], (row) => rows.push(withoutPixels(row)));
  await eachRow(simulated, models, conditions, (row) => rows.push(withoutPixels(row)));
  const shown = [...conditions, 'post of 1600 px'] as const;
  await eachRow(untouched, models, shown, (row) => rows.push(withoutPixels(row)));
  return {
    blocks: printManipulated(rows, methods),
    figures: manifestFigures(rows),
    heldOut: heldOutOf(rows),
  };
}

/** Maps of a thousand pictures would fill the memory; only the results are kept. */
function withoutPixels(row: Row): Row {
  return { ...row, maps: noMaps, mask: row.mask && noMask };
}
const noMask = { width: 0, height: 0, values: new Uint8Array() };
const none = new Uint16Array();
const noMaps: Row['maps'] = {
  cellPx: 1,
  columns: 0,
  rows: 0,
  values: { real: none, fake: none, compression: none, anomaly: none },
  methods: {},
};

/** The tables that the fusion is fitted on: simulated pairs and the photographs of the calibration split. */
export async function writeReadings(
  { pairs, photographs: photographsDir, models, limit }: Asked,
  folder: string,
): Promise<void> {
  const simulated = pairs.flatMap((one) => readPairs(one).slice(0, 2 * limit));
  const kinds = new Map(
    simulated.flatMap(({ type, source }) => (type === '' ? [] : [[source, type] as const])),
  );
  const photographs = spread(readPhotographs(photographsDir, 'calibration'), limit);
  const { pictures, places } = headsOf(methods);
  const tables = { pictures: [...pictures], places: [...places] };
  await eachRow([...simulated, ...photographs], models, conditions, (row) => {
    const lines = linesOf(row, kinds.get(row.case.source) ?? '', methods);
    tables.pictures.push(...lines.pictures);
    tables.places.push(...lines.places);
  });
  mkdirSync(folder, { recursive: true });
  for (const [name, lines] of Object.entries(tables)) {
    writeFileSync(join(folder, `${name}.csv`), `${lines.join('\n')}\n`);
  }
}

async function eachRow(
  cases: readonly Case[],
  models: Models,
  wanted: readonly Condition[],
  take: (row: Row) => unknown,
): Promise<void> {
  for (const [at, one] of cases.entries()) {
    for await (const row of readCase(one, models, wanted)) take(row);
    if (at % 50 === 49) process.stderr.write(`${at + 1} of ${cases.length}\n`);
  }
}

/** At most `limit`, evenly spread over the list. */
export function spread<T>(all: readonly T[], limit: number): readonly T[] {
  const step = Math.max(1, all.length / limit);
  return all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}
