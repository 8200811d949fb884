/** `forensics report`: a stored analysis as a signed evidence bundle, or as the files that a server hands out. */

import { type Command, Option } from 'commander';
import { type Language, languages } from '../../contract/vocabulary.ts';
import { usageError } from '../errors.ts';
import { listOf, named } from '../options.ts';
import { fetchReport, writeReport } from '../report/report.ts';
import {
  isRemote,
  nameTenant,
  type ServiceOptions,
  withServiceOptions,
} from '../target/options.ts';

export interface ReportOptions extends ServiceOptions {
  readonly tenant: string;
  readonly out?: string;
  readonly lang: readonly Language[];
  readonly upgrade: boolean;
  readonly withoutOriginal: boolean;
  readonly withMetadata: boolean;
  readonly force: boolean;
}

export function defineReport(command: Command): void {
  withServiceOptions(command)
    .argument('<analysis>', 'its id; a bundle needs the tier forensicReporting')
    .option('--tenant <name>', 'the tenant of the analysis; may stand in a profile', named)
    .option('-o, --out <path>', 'the zip file to write; with a server, the folder', named)
    .option(
      '--without-original',
      'leave out the file of the picture and its metadata; heatmaps and reports still show it',
      false,
    )
    .option('--with-metadata', 'print the metadata of the file in the report', false)
    .addOption(
      new Option('--lang <list>', 'with a server: languages of reports')
        .argParser(listOf(languages))
        .default([...languages], languages.join(',')),
    )
    .option('--upgrade', 'with a server: lift a flagging analysis first, which is billed', false)
    .option('--force', 'replace what exists', false)
    .addHelpText(
      'after',
      `
On the machine of the server it writes evidence.zip, for "forensics verify": heatmaps and reports are drawn anew from the
stored result, and signed with the key of "forensics signing-key". With --url it fetches what the server holds into a
folder: result.json and, of the tier forensicReporting, heatmap-*.png and report-*.pdf, unsigned.

Examples:
  $ forensics report 65f000000000000000000001 --tenant acme --out evidence.zip
  $ forensics report 65f000000000000000000001 --tenant acme --url https://forensics.example:8443 --out results`,
    )
    .action(async (analysis: string, _own: unknown, command: Command) => {
      await nameTenant(command);
      await report(analysis, command.optsWithGlobals<ReportOptions>());
    });
}

async function report(analysis: string, options: ReportOptions): Promise<void> {
  if (isRemote(options)) {
    return fetchReport(analysis, options);
  }
  const { out, upgrade } = options;
  if (out === undefined) throw usageError("required option '-o, --out <path>' not specified");
  if (upgrade) throw usageError('--upgrade is for a server; add --url.');
  return writeReport(analysis, { ...options, out });
}
