/**
 * `npm run evaluate -- [--data DIR] [--model DIR] [--split val|calibration|train] [--readings FILE] [--limit N] [--record]`
 * `npm run evaluate -- --traces ...` as above, without the methods that look for changes, in a quarter of the time
 * `npm run evaluate -- --ratios --model DIR`
 * `npm run evaluate -- --surfaces PICTURES [--limit N]`
 * `npm run evaluate -- --credentials FOLDER [--c2pa-python PYTHON]`
 * `npm run evaluate -- --drawn [--model DIR]`
 * `npm run evaluate -- --copies LIST [--limit N] [--crowd N]`
 * `npm run evaluate -- --manipulated [--data DIR] [--pairs DIR] [--photographs DIR] [--model DIR] [--limit N] [--figures FILE]`
 * `npm run evaluate -- --manipulated --pairs DIR [--pairs DIR] --photographs DIR --readings DIR [--limit N]`
 * `npm run evaluate -- --words DIR --pairs DIR [--pairs DIR] [--limit N]`
 *
 * Measures the models of the package, or the trace model in the folder `--model`, on labelled crops, through the product's
 * own decoder and engine. `--record` writes the figures into the manifest of that model, so that every report shows them,
 * and all tables into its card, if it has marks for them. `--ratios` reads the likelihood ratios that `--record`, or `--manipulated --held-out DIR`, wrote to
 * `held-out.csv` of the model's folder, and records their validity in its manifest: cost, bounds, points of a Tippett plot. `--copies` changes the
 * first N pictures of LIST, a file with one path per line, and searches for them among a crowd of others. `--surfaces` examines a folder of pictures with the built program and compares card, JSON, PDF,
 * HTML and console. `--manipulated` measures where pictures were
 * changed, also on simulated changes (`--pairs`) and on the whole photographs of another data folder (`--photographs`); `--figures` is
 * for the localisation model's manifest. With `--readings` it writes what the fusion of the methods is fitted on,
 * and `--words` what the comparison of words is fitted on. The data is not part of the repository: it is looked for at `--data`, in FORENSICS_DATA, and in `shared/data` next to the repository.
 */

import { existsSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ForensicsError } from '../../src/contract/errors.ts';
import { readOptions } from '../usage.ts';
import { findDataDir, splits } from './data-set.ts';

const options = readOptions(import.meta.url, {
  data: { type: 'string' },
  model: { type: 'string' },
  split: { type: 'string', default: 'val' },
  readings: { type: 'string' },
  limit: { type: 'string' },
  record: { type: 'boolean', default: false },
  traces: { type: 'boolean', default: false },
  surfaces: { type: 'string' },
  credentials: { type: 'string' },
  'c2pa-python': { type: 'string' },
  ratios: { type: 'boolean', default: false },
  'held-out': { type: 'string' },
  drawn: { type: 'boolean', default: false },
  copies: { type: 'string' },
  crowd: { type: 'string', default: '100000' },
  manipulated: { type: 'boolean', default: false },
  words: { type: 'string' },
  pairs: { type: 'string', multiple: true, default: [] },
  photographs: { type: 'string' },
  figures: { type: 'string' },
});

const limit = Number(options.limit ?? Infinity);
if (!(limit >= 1)) fail('--limit must be at least 1.');
const crowd = Number(options.crowd);
if (!(crowd >= 0)) fail('--crowd must be at least 0.');
assertPaths();

if (options.credentials) {
  const { readTestFiles } = await import('./credentials.ts');
  process.exit((await readTestFiles(options.credentials, options['c2pa-python'])) ? 0 : 1);
}

if (options.surfaces) {
  const { readSurfaces } = await import('./read-surfaces.ts');
  process.exit((await readSurfaces(options.surfaces, limit)) ? 0 : 1);
}

if (options.ratios) {
  if (!options.model) fail('--ratios needs --model DIR.');
  const { recordRatios } = await import('./held-out.ts');
  process.stdout.write(`${recordRatios(options.model, new Date()).join('\n')}\n`);
  process.exit();
}

if (options.copies !== undefined) {
  const { measureCopies } = await import('./copies.ts');
  await measureCopies(options.copies, options.limit ? limit : 200, crowd);
  process.exit();
}

if (options.drawn) {
  const { measureDrawn } = await import('./measure-drawn.ts');
  await measureDrawn(await openNamed());
  process.exit();
}

if (options.words !== undefined) {
  const { writeWords } = await import('./words.ts');
  await writeWords(options.pairs, options.words, limit);
  process.exit();
}

const split = splits.find((name) => name === options.split);
const dataDir = findDataDir(options.data);
if (!split) fail(`--split must be one of ${splits.join(', ')}.`);
if (!dataDir) {
  fail(
    'No data folder with a manifest.csv was found. Specify one with --data DIR or FORENSICS_DATA, or put it at ../shared/data; models/training/README.md describes its contents.',
  );
}

if (options.record && (split !== 'val' || options.limit)) {
  fail('--record uses the whole val split: leave out --split and --limit.');
}

if (options.manipulated && options.readings !== undefined && options.pairs.length === 0) {
  fail('--readings with --manipulated needs --pairs.');
}

const { withoutChanges } = await import('./open-models.ts');
const opened = await openNamed();
const { folder, ...models } = options.traces ? withoutChanges(opened) : opened;
const { pairs, photographs = dataDir } = options;
const asked = { dataDir, pairs, photographs, models, limit };
if (options.manipulated && options.readings !== undefined) {
  const { writeReadings } = await import('./manipulated/run.ts');
  await writeReadings(asked, options.readings);
} else if (options.manipulated) {
  const { measureManipulated } = await import('./manipulated/run.ts');
  const { toTerminal } = await import('./table.ts');
  const { blocks, figures, heldOut } = await measureManipulated(asked);
  process.stdout.write(`${toTerminal(blocks)}\n`);
  if (options.figures) await writeFile(options.figures, `${JSON.stringify(figures, null, 1)}\n`);
  if (options['held-out']) {
    const { writeHeldOut } = await import('./held-out.ts');
    writeHeldOut(options['held-out'], heldOut);
  }
} else {
  const { measureGenerated } = await import('./measure-generated.ts');
  const { traces, readings = null, record } = options;
  await measureGenerated({ dataDir, split, limit, models, folder, traces, readings, record });
}

async function openNamed() {
  const { openModels } = await import('./open-models.ts');
  return openModels(options.model ?? null).catch((error: unknown) => {
    if (error instanceof ForensicsError) fail(error.message);
    throw error;
  });
}

/** Checked before hours of measuring. */
function assertPaths(): void {
  const { copies, surfaces, credentials, model, figures } = options;
  const needed = [
    ['surfaces', surfaces, '.'],
    ['credentials', credentials, '.'],
    ['model', model, options.ratios ? 'held-out.csv' : '.'],
    ['photographs', options.photographs, 'manifest.csv'],
    ...options.pairs.map((pair) => ['pairs', pair, 'index.csv'] as const),
    ['held-out', options['held-out'], '.'],
    ['figures', figures && dirname(figures), '.'],
    [
      'readings',
      options.manipulated ? undefined : options.readings && dirname(options.readings),
      '.',
    ],
  ] as const;
  for (const [name, at, file] of needed) {
    if (!at || existsSync(`${at}/${file}`)) continue;
    fail(`--${name}: there is no ${file === '.' ? `folder ${at}` : join(at, file)}.`);
  }
  if (copies !== undefined && !statSync(copies, { throwIfNoEntry: false })?.isFile()) {
    fail(`--copies must name a file with one picture path per line; ${copies} is not a file.`);
  }
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
