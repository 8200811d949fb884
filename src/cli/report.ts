/** `forensics report`: the signed evidence bundle of a stored analysis. */

import type { Command } from 'commander';
import type { LocalOptions } from './local-core.ts';
import { named } from './option-values.ts';

export interface ReportOptions extends LocalOptions {
  readonly tenant: string;
  readonly out: string;
  readonly withoutOriginal: boolean;
  readonly withMetadata: boolean;
  readonly force: boolean;
  readonly json: boolean;
}

export function registerReport(program: Command): void {
  program
    .command('report')
    .description(
      'Write the evidence bundle of a stored analysis: report, result, material, signature.',
    )
    .argument('<analysis>', 'its id; its tier must be forensicReporting')
    .requiredOption('--tenant <name>', 'the tenant that the analysis belongs to')
    .requiredOption('-o, --out <file>', 'the zip file to write', named)
    .option(
      '--without-original',
      'leave out the file of the picture and its metadata; heatmaps and reports still show it',
      false,
    )
    .option('--with-metadata', 'print the metadata of the file in the report', false)
    .option('--force', 'replace a file that exists', false)
    .option('--data-dir <dir>', 'the data folder')
    .option('--config <file>', 'the config file')
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `
Heatmaps and reports are drawn anew from the stored result. The key is that of "forensics signing-key".

Examples:
  $ forensics report 65f000000000000000000001 --tenant acme --out evidence.zip
  $ forensics report 65f000000000000000000001 --tenant acme --out evidence.zip --without-original`,
    )
    .action(async (analysis: string, _own: unknown, command: Command) => {
      const { writeReport } = await import('./report/run.ts');
      await writeReport(analysis, command.optsWithGlobals<ReportOptions>());
    });
}
