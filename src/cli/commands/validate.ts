/** `forensics validate`: the options and their help. The work is in `validate/`, loaded when the command is called. */

import { type Command, Option } from 'commander';
import {
  decisionStrategies,
  type DecisionStrategy,
  defaultSeed,
} from '../../contract/vocabulary.ts';
import {
  countFromOne,
  defaultJobs,
  examples,
  jobCount,
  type LocalOptions,
  named,
  wholeNumber,
} from '../options.ts';
import {
  deleteValidation,
  listValidations,
  showValidation,
  type StoredOptions,
} from '../validate/measure.ts';
import { runValidate } from '../validate/run.ts';

export function defineValidate(validate: Command): void {
  validate
    .option('--real <dir>', 'a folder of photographs, with the folders below it', named)
    .option('--fake <dir>', 'a folder of generated pictures, likewise', named)
    .option('-o, --out <file>', 'also write the record into this file, JSON', named)
    .option('--force', 'replace the file of --out when it exists', false)
    .addOption(
      new Option('--strategy <strategy>', 'the decision strategy to print; all are measured')
        .choices([...decisionStrategies, 'all'])
        .default('default'),
    )
    .option('--sample <n>', 'at most this many random pictures of each class', countFromOne)
    .option('--hashes', 'keep the SHA-256 of every measured picture in the record', false)
    .option('--seed <n>', 'fixes every random choice', wholeNumber, defaultSeed)
    .option('--model <id>', 'the model to measure (default: the latest)', named, null)
    .option('-j, --jobs <n>', 'pictures examined at once', jobCount, defaultJobs)
    .option('--data-dir <dir>', 'the data folder that keeps validations')
    .option('--config <file>', 'the config file')
    .addOption(new Option('--json', 'print one JSON document').default(false).conflicts('jsonl'))
    .option('--jsonl', 'print one JSON line a picture, as they finish', false)
    .addHelpText(
      'after',
      `
Every picture is examined as it is (clean), as a sharing service passes it on (web: at most 1600 px,
JPEG 75) and after it was shared again in small (hard: half of that, JPEG 60). A sub-folder for each
camera, generator or event makes the intervals honest. The record is stored with an id that
"forensics analyze --validation ID" cites in its reports.

Examples:
  $ forensics validate --real photos --fake generated
  $ forensics validate list`,
    )
    .action(async (_own: unknown, command: Command) => {
      await runValidate(command.optsWithGlobals<ValidateOptions>());
    });
  describeStored(validate);
}

function describeStored(validate: Command): void {
  validate
    .command('list')
    .description('List the stored validations, newest first.')
    .addHelpText('after', examples('validate list', 'validate list --json'))
    .action(async (_own: unknown, command: Command) => {
      listValidations(command.optsWithGlobals<StoredOptions>());
    });
  validate
    .command('show')
    .description('Print a stored validation.')
    .addHelpText(
      'after',
      examples(
        'validate show 65f000000000000000000001',
        'validate show 65f000000000000000000001 --json',
      ),
    )
    .argument('<id>', 'its id')
    .action(async (id: string, _own: unknown, command: Command) => {
      showValidation(id, command.optsWithGlobals<StoredOptions>());
    });
  validate
    .command('delete')
    .description('Delete a stored validation. Reports that cite it stay as they are.')
    .addHelpText(
      'after',
      examples(
        'validate delete 65f000000000000000000001',
        'validate delete 65f000000000000000000001 --data-dir ./data',
      ),
    )
    .argument('<id>', 'its id')
    .action(async (id: string, _own: unknown, command: Command) => {
      deleteValidation(id, command.optsWithGlobals<StoredOptions>());
    });
}

export interface ValidateOptions extends LocalOptions {
  readonly real?: string;
  readonly fake?: string;
  readonly out?: string;
  readonly force: boolean;
  readonly strategy: DecisionStrategy | 'all';
  readonly sample?: number;
  readonly hashes: boolean;
  readonly seed: number;
  readonly model: string | null;
  readonly jobs: number;
  readonly json: boolean;
  readonly jsonl: boolean;
  readonly verbose: boolean;
}
