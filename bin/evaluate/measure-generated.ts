/** Measures the models on labelled crops, and records the figures. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Models } from '../../src/engine/schedule.ts';
import { ForensicsError } from '../../src/contract/errors.ts';
import { writeIntoCard } from './card.ts';
import { readSamples, type Split } from './data-set.ts';
import { recordRatios, writeHeldOut } from './held-out.ts';
import { spread } from './manipulated/run.ts';
import { heldOutOf, measuredOf, record } from './measured.ts';
import { printFigures } from './print.ts';
import { readSample, type Row, toCsv } from './read-samples.ts';
import { toMarkdown, toTerminal } from './table.ts';

export interface GeneratedOptions {
  readonly dataDir: string;
  readonly split: Split;
  readonly limit: number;
  readonly models: Models;
  /** Of the trace model. */
  readonly folder: string;
  /** Whether the methods that look for changes are left out. */
  readonly traces: boolean;
  /** File that the readings are written to. */
  readonly readings: string | null;
  /** Whether the figures are written into the folder of the model. */
  readonly record: boolean;
}

export async function measureGenerated(options: GeneratedOptions): Promise<void> {
  const { dataDir, split, limit, models, folder } = options;
  const samples = spread(readSamples(dataDir, split), limit);
  const { id, version } = models.trace.manifest;
  process.stderr.write(`${id} ${version}: ${samples.length} pictures of split ${split}\n`);
  const rows: Row[] = [];
  for (const [at, sample] of samples.entries()) {
    try {
      const read = await Array.fromAsync(readSample(sample, dataDir, models, !options.traces));
      rows.push(...read);
    } catch (error) {
      if (!(error instanceof ForensicsError)) throw error;
      process.stderr.write(`Left out ${sample.file}: ${error.message}\n`);
    }
    if (at % 50 === 49) process.stderr.write(`${at + 1} of ${samples.length}\n`);
  }
  if (options.readings) await writeFile(options.readings, toCsv(rows));
  const blocks = printFigures(rows);
  process.stdout.write(`${toTerminal(blocks)}\n${usualCellsOf(rows)}\n`);
  if (options.record) {
    record(join(folder, 'manifest.json'), measuredOf(rows));
    writeHeldOut(folder, heldOutOf(rows));
    recordRatios(folder, new Date());
    writeIntoCard(join(folder, 'CARD.md'), toMarkdown(blocks));
  }
}

function usualCellsOf(rows: readonly Row[]): string {
  const shares = rows
    .filter(({ sample, condition }) => !sample.isFake && condition === 'as is')
    .map(({ usualCells }) => usualCells);
  const mean = shares.reduce((sum, one) => sum + one, 0) / shares.length;
  return `Anomaly map: ${(100 * mean).toFixed(1)}% of the cells in photographs are below 0.5.`;
}
