/** `forensics reproduce`: repeats the examination behind an evidence bundle and compares the results. */

import type { Command } from '../command.ts';
import { modelsFolder } from '../../ports/data-folder/data-folder.ts';
import { withoutUndefined } from '../../contract/common.ts';
import { readConfig } from '../../contract/config.ts';
import { exitCodes } from '../../errors.ts';
import {
  type FieldDifference,
  type FileComparison,
  numberTolerance,
  type Reproduction,
} from '../../evidence/compare.ts';
import { reproduceBundle } from '../../evidence/reproduce.ts';
import { listRows, printCard, type Row } from '../output/layout.ts';
import { paint, printable, printJson } from '../output/terminal.ts';
import { describeExpectedKey, expectedKey, type KeyOptions } from './verify.ts';
import { calling, type TextOptions } from '../options.ts';

interface ReproduceOptions extends KeyOptions, TextOptions<'original' | 'trustList' | 'modelsDir'> {
  readonly json: boolean;
}

export function defineReproduce(command: Command): void {
  describeExpectedKey(command.argument('<bundle>', 'the zip file written by report or analyze'))
    .option('--original <file>', 'the picture, if the bundle contains only its hashes')
    .option(
      '--trust-list <file>',
      'the list of trusted signers, if the bundle does not contain it (PEM)',
    )
    .option(
      '--models-dir <dir>',
      "the folder that contains the model's folder (default: the modelsDir setting)",
    )
    .option('--json', 'print JSON', false)
    .examples('evidence.zip', 'evidence.zip --original photo.jpg --json')
    .helpAfter(`
Exit codes: 0 identical, or the same result within the tolerance; 4 the bundle's model is not installed;
7 the bundle is damaged, or the result differs.`)
    .action(calling(reproduce));
}

async function reproduce(bundle: string, options: ReproduceOptions): Promise<void> {
  const { original, trustList, modelsDir, json } = options;
  const { settings } = readConfig({ flags: { modelsDir } });
  const found = await reproduceBundle(bundle, {
    ...(await expectedKey(options)),
    ...withoutUndefined({ original, trustList }),
    modelsDir: modelsFolder(settings),
  });
  const { colour, title, meaning } = outcomes[found.outcome];
  const words = paint(process.stdout)(['bold', colour], title);
  if (json) printJson(found);
  else printCard(`${printable(bundle)}: ${words}`, [['Outcome', meaning], ...toRows(found)]);
  if (found.outcome === 'different') process.exitCode = exitCodes.integrityFailure;
}

const outcomes = {
  identical: {
    colour: 'green',
    title: 'IDENTICAL',
    meaning: 'every value, pixel and byte of the reports is the same',
  },
  'same-result': {
    colour: 'green',
    title: 'SAME RESULT, but not byte for byte',
    meaning: `same verdict; numbers within ${numberTolerance}, pixels within one step of the colour scale`,
  },
  different: {
    colour: 'red',
    title: 'DIFFERENT',
    meaning: 'the result differs from the bundle',
  },
} as const;

/** Maximum number of differences printed; the JSON output has all of them. */
const maxDifferences = 20;

function toRows(found: Reproduction): readonly Row[] {
  const { verdict, model, valuesCompared, differences, files, environment } = found;
  const other = files.filter(({ isIdentical }) => !isIdentical);
  const rest = differences.length - maxDifferences;
  const elsewhere = environment.map(({ name, recorded, found: here }) =>
    printable(`${name}: ${recorded ?? 'unknown'} in the bundle, ${here ?? 'unknown'} here`),
  );
  return [
    ['Verdict', `${printable(verdict.recorded)} in the bundle, ${verdict.found} here`],
    ['Model', `${model.id} ${model.version}, with the same files as in the bundle`],
    ['Compared', `${valuesCompared} values and ${files.length} files`],
    ...listRows('Values', differences.slice(0, maxDifferences).map(differenceLine)),
    ...(rest > 0 ? [['', `... and ${rest} more; --json lists them all`] as const] : []),
    ...listRows('Files', other.map(fileLine)),
    ...listRows('Elsewhere', elsewhere),
  ];
}

function differenceLine({ path, recorded, found, kind }: FieldDifference): string {
  const values =
    kind === 'wording' ? 'different wording' : `${shown(recorded)}, now ${shown(found)}`;
  return `${printable(path)}: ${values}${kind === 'rounding' ? ' (within the tolerance)' : ''}`;
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return printable(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}

function fileLine({ name, pixels, isTolerated }: FileComparison): string {
  if (pixels === null)
    return `${name}: different bytes${isTolerated ? ', as expected from a different version' : ''}`;
  const farthest = `${(100 * pixels.largest).toFixed(2)}% of the scale`;
  return `${name}: ${pixels.differing} samples differ, by ${farthest} at most`;
}
