/**
 * `npm run evaluate -- [--data DIR] [--split val|calibration|train] [--readings FILE] [--limit N] [--record]`
 *
 * Measures the installed model on labelled crops, through the product's own decoder and engine. `--record` writes the
 * figures into the model's manifest, so that they stand in every report. The data is not part of
 * the repository: it is looked for at `--data`, in FORENSICS_DATA, and in `shared/data` beside the repository.
 */

import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createRegistry } from '../../src/inference/registry.ts';
import { loadRuntime } from '../../src/inference/runtime.ts';
import { loadTraceModel } from '../../src/inference/trace-model.ts';
import { findDataDir, readSamples, type Sample, splits } from './data-set.ts';
import { measuredOf, record } from './measured.ts';
import { printFigures } from './print.ts';
import { readSample, type Row, toCsv } from './read-samples.ts';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    split: { type: 'string', default: 'val' },
    readings: { type: 'string' },
    limit: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});

const split = splits.find((name) => name === options.split);
const dataDir = findDataDir(options.data);
if (!split) fail(`--split must be one of ${splits.join(', ')}.`);
if (!dataDir) {
  fail(
    'No data folder with a manifest.csv was found. Name one with --data DIR or in FORENSICS_DATA, or lay it at ../shared/data; models/training/README.md says what it holds.',
  );
}

if (options.record && (split !== 'val' || options.limit)) {
  fail('--record takes the whole val split: leave out --split and --limit.');
}

const samples = spread(readSamples(dataDir, split), Number(options.limit ?? Infinity));
const model = await loadTraceModel(await createRegistry().open(null), await loadRuntime());
const { id, version } = model.manifest;
process.stderr.write(`${id} ${version}: ${samples.length} pictures of split ${split}\n`);

const rows: Row[] = [];
for (const [at, sample] of samples.entries()) {
  for await (const row of readSample(sample, dataDir, model)) rows.push(row);
  if (at % 50 === 49) process.stderr.write(`${at + 1} of ${samples.length}\n`);
}
if (options.readings) await writeFile(options.readings, toCsv(rows));
process.stdout.write(`${printFigures(rows)}\n`);
if (options.record) {
  record(new URL(`../../models/${id}/manifest.json`, import.meta.url), measuredOf(rows));
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

/** At most `limit` samples, evenly drawn from the list, so that both classes stay in. */
function spread(all: readonly Sample[], limit: number): readonly Sample[] {
  if (!(limit >= 1)) fail('--limit must be a number from 1 up.');
  const step = Math.max(1, all.length / limit);
  return all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}
