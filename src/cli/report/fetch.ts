/** Fetches a stored analysis of a server: its result, and its heatmaps and reports where the tier has them. */

import { basename, dirname } from 'node:path';
import type { Analysis } from '../../analyses/analysis.ts';
import { cardOf } from '../analyze/card.ts';
import { keepResults } from '../analyze/keep-results.ts';
import type { RemoteAnalyses } from '../analyze/remote/analyses.ts';
import { type Connection, openConnection } from '../analyze/remote/connection.ts';
import { downloadFiles } from '../analyze/remote/files.ts';
import { remoteRecordOf } from '../analyze/remote/remote-record.ts';
import { withFreshUrls } from '../analyze/remote/with-fresh-urls.ts';
import type { AnalysisRecord } from '../analyze/record.ts';
import { openResultsFolder, type ResultsFolder } from '../analyze/results-folder.ts';
import { usageError } from '../failure.ts';
import { refuseOptions } from '../refuse-options.ts';
import { columnsOf } from '../terminal.ts';
import type { ReportOptions } from '../report.ts';
import { printJson, say } from '../talk.ts';

export async function fetchReport(analysisId: string, options: ReportOptions): Promise<void> {
  refuseLocalOptions(options);
  const results = await resultsFor(options);
  const connection = await openConnection(options);
  try {
    const record = await fetchRecord(connection, results, { analysisId, options });
    if (options.json) printJson(record);
    else process.stdout.write(cardOf(record, columnsOf(process.stdout)));
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
    say(
      'Its tier is flagging: there are no heatmaps and no reports. --upgrade makes them; that is billed.',
    );
    return found;
  }
  say('Upgrading it to forensicReporting, which is billed.');
  return analyses.retry(analysisId, { tier: 'forensicReporting' });
}

function refuseLocalOptions(options: ReportOptions): void {
  const { config, withoutOriginal, withMetadata } = options;
  refuseOptions(
    {
      '--config': config !== undefined,
      '--without-original': withoutOriginal,
      '--with-metadata': withMetadata,
    },
    'is for the signed bundle, which is made on the machine of the server; leave it out with a server.',
  );
}
