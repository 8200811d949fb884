/** `forensics report`: a stored analysis as a signed evidence bundle, or as the files that a server hands out. */

import { basename, dirname } from 'node:path';
import { type Command, Option } from 'commander';
import {
  type Connection,
  openConnection,
  type RemoteAnalyses,
  withFreshUrls,
} from '../client/analyses.ts';
import type { Analysis } from '../../contract/analysis.ts';
import { type Language, languages } from '../../contract/vocabulary.ts';
import { type CaseOptions, caseOptionsGiven, withCaseOptions } from '../analyze/case-data.ts';
import { cardOf } from '../analyze/card.ts';
import type { AnalysisRecord } from '../analyze/record.ts';
import { downloadFiles, remoteRecordOf } from '../analyze/remote/results.ts';
import { keepResults, openResultsFolder, type ResultsFolder } from '../analyze/results-folder.ts';
import { usageError } from '../errors.ts';
import {
  isRemote,
  listOf,
  named,
  assertNoOptions,
  type ServiceOptions,
  withServiceOptions,
} from '../options.ts';
import { columnsOf, log, printJson } from '../output/terminal.ts';
import { nameTenant, openServer } from '../connection/server.ts';

export interface ReportOptions extends ServiceOptions, CaseOptions {
  readonly tenant: string;
  readonly out?: string;
  readonly lang: readonly Language[];
  readonly upgrade: boolean;
  readonly withoutOriginal: boolean;
  readonly withMetadata: boolean;
  readonly errorLevel: boolean;
  readonly html: boolean;
  readonly force: boolean;
}

export function defineReport(command: Command): void {
  const described = withServiceOptions(command)
    .argument('<analysis>', 'its id; a bundle needs the tier forensicReporting')
    .option('--tenant <name>', 'the tenant of the analysis (default: that of the profile)', named)
    .option('-o, --out <path>', 'the zip file to write; with a server, the folder', named)
    .option(
      '--without-original',
      'leave out the file of the picture and its metadata; heatmaps and reports still show it',
      false,
    )
    .option('--with-metadata', 'print the metadata of the file in the report', false)
    .option('--error-level', 'show the error level map in the report', false)
    .option('--html', 'add each report as one HTML file to the bundle', false);
  withCaseOptions(described)
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
    .action(async (analysis: string, _own: unknown, called: Command) => {
      await nameTenant(called);
      await report(analysis, called.optsWithGlobals<ReportOptions>());
    });
}

async function report(analysis: string, options: ReportOptions): Promise<void> {
  if (isRemote(options)) {
    return fetchReport(analysis, options);
  }
  const { out, upgrade } = options;
  if (out === undefined) throw usageError("required option '-o, --out <path>' not specified");
  if (upgrade) throw usageError('--upgrade is for a server; add --url.');
  const { writeReport } = await import('./report-bundle.ts');
  return writeReport(analysis, { ...options, out });
}

async function fetchReport(analysisId: string, options: ReportOptions): Promise<void> {
  refuseLocalOptions(options);
  const results = await resultsFor(options);
  const connection = await openConnection(await openServer(options), options.tenant);
  try {
    const record = await fetchRecord(connection, results, { analysisId, options });
    if (options.json) printJson(record);
    else process.stdout.write(cardOf(record, options.lang[0] ?? 'en', columnsOf(process.stdout)));
  } finally {
    await connection.close();
  }
}

/** The folder that `--out` names is that of the picture: it comes to lie in its parent. */
interface Target {
  readonly folder: ResultsFolder;
  readonly name: string;
}

/** Before anything is upgraded and billed. */
async function resultsFor({ out, force }: ReportOptions): Promise<Target | null> {
  if (out === undefined) {
    if (force) throw usageError('--force replaces the results of --out DIR; add it.');
    return null;
  }
  const folder = await openResultsFolder(dirname(out), { force });
  const name = basename(out);
  await folder.check(name);
  return { folder, name };
}

async function fetchRecord(
  connection: Connection,
  target: Target | null,
  asked: { readonly analysisId: string; readonly options: ReportOptions },
): Promise<AnalysisRecord> {
  const { lang } = asked.options;
  // Ctrl-C ends the program at once: on the server everything stays as it is.
  const { signal } = new AbortController();
  const analyses = connection.analysesFor(signal);
  const analysis = await inTier(analyses, asked);
  const file = analysis.input.filename;
  const record = remoteRecordOf(analysis, { file, sha256: null, sizeBytes: null, lang });
  if (target === null) return record;
  const files = await withFreshUrls(analysis, analyses, (fresh) =>
    downloadFiles(connection.transfer, fresh, { lang, signal }),
  );
  return keepResults(target.folder, target.name, record, files);
}

async function inTier(
  analyses: RemoteAnalyses,
  { analysisId, options }: { readonly analysisId: string; readonly options: ReportOptions },
): Promise<Analysis> {
  const found = await analyses.read(analysisId);
  const { status } = found.inferenceStatus;
  if (status !== 'completed' || found.input.options.tier === 'forensicReporting') return found;
  if (!options.upgrade) {
    log(
      'Its tier is flagging: there are no heatmaps and no reports. --upgrade makes them; that is billed.',
    );
    return found;
  }
  log('Upgrading it to forensicReporting, which is billed.');
  return analyses.retry(analysisId, { tier: 'forensicReporting' });
}

function refuseLocalOptions(options: ReportOptions): void {
  const { config, withoutOriginal, withMetadata, errorLevel, html } = options;
  assertNoOptions(
    {
      '--config': config !== undefined,
      '--without-original': withoutOriginal,
      '--with-metadata': withMetadata,
      '--error-level': errorLevel,
      '--html': html,
      ...caseOptionsGiven(options),
    },
    'is for the signed bundle, which is made on the machine of the server; leave it out with a server.',
  );
}
