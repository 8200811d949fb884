/** `forensics reproduce`: the examination of an evidence bundle once more, and what came out otherwise. */

import type { Command } from 'commander';
import { exitCodes } from '../errors.ts';
import { describeExpectedKey, type KeyOptions } from './verify/expected-key.ts';

interface ReproduceOptions extends KeyOptions {
  readonly original?: string;
  readonly trustList?: string;
  readonly modelsDir?: string;
  readonly json: boolean;
}

export function registerReproduce(program: Command): void {
  describeExpectedKey(
    program
      .command('reproduce')
      .description(
        'Examine the picture of an evidence bundle again and compare every field and pixel.',
      )
      .argument('<bundle>', 'the zip file that report or analyze wrote'),
  )
    .option('--original <file>', 'the picture, where the bundle holds only its hashes')
    .option('--trust-list <file>', 'the list of trusted signers, where the bundle lacks it (PEM)')
    .option(
      '--models-dir <dir>',
      'a folder with the model of the bundle (default: those of "models add")',
    )
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `
Examples:
  $ forensics reproduce evidence.zip
  $ forensics reproduce evidence.zip --original photo.jpg --json

Exit codes: 0 identical, or the same result within the tolerance; 4 the model of the bundle is not here;
7 the bundle does not hold, or the result differs.`,
    )
    .action(async (bundle: string, _own: unknown, command: Command) => {
      await reproduce(bundle, command.optsWithGlobals<ReproduceOptions>());
    });
}

async function reproduce(bundle: string, options: ReproduceOptions): Promise<void> {
  const { reproduceBundle } = await import('../evidence/reproduce.ts');
  const { expectedKey } = await import('./verify/expected-key.ts');
  const { reproductionCard } = await import('./reproduce/card.ts');
  const { readConfig } = await import('../config.ts');
  const { modelsFolder } = await import('../app/models-folder.ts');
  const { original, trustList, modelsDir, json } = options;
  const { settings } = readConfig({ flags: { modelsDir } });
  const found = await reproduceBundle(bundle, {
    ...(await expectedKey(options)),
    ...(original === undefined ? {} : { original }),
    ...(trustList === undefined ? {} : { trustList }),
    modelsDir: modelsFolder(settings),
  });
  const asJson = () => `${JSON.stringify(found, null, 2)}\n`;
  process.stdout.write(json ? asJson() : reproductionCard(bundle, found));
  if (found.outcome === 'different') process.exitCode = exitCodes.integrityFailure;
}
