/** `forensics validate`: the options and their help. The work is in `validate/`, loaded when the command is called. */

import { type Command, Option } from 'commander';
import { decisionStrategies, defaultSeed } from '../../contract/vocabulary.ts';
import {
  calling,
  countFromOne,
  defaultJobs,
  jobCount,
  named,
  subcommand,
  wholeNumber,
} from '../options.ts';
import { deleteValidation, listValidations, showValidation } from '../validate/measure.ts';
import { runValidate } from '../validate/run.ts';

export function defineValidate(validate: Command): void {
  validate
    .option('--real <dir>', 'a folder of photographs, including its subfolders', named)
    .option('--fake <dir>', 'a folder of generated pictures, including its subfolders', named)
    .option('-o, --out <file>', 'also write the record to this JSON file', named)
    .option('--force', 'replace the file of --out if it exists', false)
    .addOption(
      new Option('--strategy <strategy>', 'the decision strategy to print; all are measured')
        .choices([...decisionStrategies, 'all'])
        .default('default'),
    )
    .option('--sample <n>', 'at most this many random pictures of each class', countFromOne)
    .option('--hashes', 'store the SHA-256 of every measured picture in the record', false)
    .option('--seed <n>', 'seed of every random choice', wholeNumber, defaultSeed)
    .option('--model <id>', 'the model to measure (default: the latest)', named, null)
    .option('-j, --jobs <n>', 'pictures examined at once', jobCount, defaultJobs)
    .option('--data-dir <dir>', 'the data folder that keeps validations')
    .option('--config <file>', 'the config file')
    .addOption(new Option('--json', 'print one JSON document').default(false).conflicts('jsonl'))
    .option('--jsonl', 'print one JSON line per picture, as they finish', false)
    .addHelpText(
      'after',
      `
Every picture is examined as it is (clean), as a sharing service would deliver it (web: at most 1600 px, JPEG 75), and
after it was shared again at a smaller size (hard: half of that, JPEG 60). Use a subfolder for each camera, generator or
event to get honest intervals. The record is stored under an id that "forensics analyze --validation ID" cites in its
reports.

Examples:
  $ forensics validate --real photos --fake generated
  $ forensics validate list`,
    )
    .action(calling(runValidate));
  describeStored(validate);
}

function describeStored(validate: Command): void {
  subcommand(validate, 'list', 'List the stored validations, newest first.', [
    'validate list',
    'validate list --json',
  ]).action(calling(listValidations));
  subcommand(validate, 'show', 'Print a stored validation.', [
    'validate show 65f000000000000000000001',
    'validate show 65f000000000000000000001 --json',
  ])
    .argument('<id>', 'its id')
    .action(calling(showValidation));
  subcommand(
    validate,
    'delete',
    'Delete a stored validation. Reports that cite it stay as they are.',
    [
      'validate delete 65f000000000000000000001',
      'validate delete 65f000000000000000000001 --data-dir ./data',
    ],
  )
    .argument('<id>', 'its id')
    .action(calling(deleteValidation));
}
