/** `forensics report`: writes the signed bundle of a stored analysis or case or, from a server, downloads its files. */

import { basename, dirname } from 'node:path';
import { writeCard } from '../analyze/card.ts';
import { keepResults, openResultsFolder } from '../analyze/results-folder.ts';
import { openConnection, withFreshUrls } from '../client/analyses.ts';
import { nameTenant, openServer, withApi } from '../connection/server.ts';
import { checkFree, writeWholeFile } from '../../ports/files/files.ts';
import { assertNoOptions, caseOptions, type Command, isRemote, named } from '../options.ts';
import { usageError } from '../../contract/errors.ts';
import { lineWidth, log, print, printJson } from '../output/terminal.ts';
import type { CaseFile, ReportOptions } from './report-bundle.ts';

export function defineReport(command: Command): void {
  const tenant = 'the tenant of the analysis (default: the one in the profile)';
  command
    .localOptions()
    .serverOptions()
    .argument(
      '[analysis]',
      'the id of the analysis, which needs the forensicReporting tier for a bundle; without an id, give --case',
    )
    .option('--tenant <name>', tenant, named)
    .option(
      '-o, --out <path>',
      'the zip file to write; on a server, the folder to download to; for a case, a .zip or .pdf file',
      named,
    )
    .option(
      '--without-original',
      'leave out the picture file and its metadata; heatmaps and reports still show it',
      false,
    )
    .reportOptions('on a server: languages of reports')
    .option('--html', 'also add each report to the bundle as a single HTML file', false)
    .caseOptions()
    .option('--force', 'replace existing output', false)
    .helpAfter(`
On the server's own machine it writes evidence.zip, for "forensics verify": heatmaps and reports are rendered again from the
stored result and signed with the key of "forensics signing-key". With --url, it downloads what the server has into a
folder: result.json and, for the forensicReporting tier, heatmap-*.png and report-*.pdf, unsigned.

With --case and no analysis, it covers all pictures of the case, at most 1,000: a .pdf file is the report, a .zip file the
signed archive of the report with a complete bundle for each picture.`)
    .examples(
      '65f000000000000000000001 --tenant acme --out evidence.zip',
      '65f000000000000000000001 --tenant acme --url https://forensics.example:8443 --out results',
      '--case 4711 --tenant acme --out case-4711.zip',
    )
    .hook('preAction', () => nameTenant(command))
    .action((analysis: string | undefined, options: ReportOptions) =>
      analysis === undefined ? reportCase(options) : report(analysis, options),
    );
}

async function report(analysisId: string, options: ReportOptions): Promise<void> {
  if (isRemote(options)) return fetchReport(analysisId, options);
  const { out } = options;
  if (out === undefined) throw usageError("required option '-o, --out <path>' not specified");
  const { writeReport } = await import('./report-bundle.ts');
  return writeReport(analysisId, { ...options, out });
}

async function fetchReport(analysisId: string, options: ReportOptions): Promise<void> {
  assertNoOptions(
    options,
    ['config', ...optionsOfThisMachine, 'html', ...caseOptions],
    "is for signed bundles, which are made on the server's own machine; leave it out with --url.",
  );
  const { lang, out, tenant } = options;
  const { downloadFiles, remoteRecord } = await import('../analyze/remote/remote.ts');
  const folder = await openFolder(options);
  const connection = await openConnection(await openServer(options), tenant);
  try {
    // Never aborted: Ctrl-C ends the program at once, and nothing changes on the server.
    const { signal } = new AbortController();
    const analyses = connection.analysesFor(signal);
    const analysis = await analyses.read(analysisId);
    const { inferenceStatus, input } = analysis;
    if (inferenceStatus.status === 'completed' && input.options.tier === 'flagging') {
      log('Its tier is flagging, so it has no heatmaps or reports; upgrade it in the console.');
    }
    const known = { file: input.filename, sha256: null, sizeBytes: null, lang };
    const found = remoteRecord(analysis, known);
    const record =
      folder === null
        ? found
        : await withFreshUrls(analysis, analyses, async (fresh) => {
            const files = await downloadFiles(connection.transfer, fresh, { lang, signal });
            return keepResults(folder, basename(out!), found, files);
          });
    if (options.json) printJson(record);
    else process.stdout.write(writeCard(record, lang[0] ?? 'en', lineWidth(process.stdout)));
  } finally {
    await connection.close();
  }
}

/** Opens the parent of the `--out` folder before anything is fetched; null without `--out`. */
async function openFolder({ out, force }: ReportOptions) {
  if (out === undefined) {
    if (force) throw usageError('--force replaces the results in --out DIR; add --out.');
    return null;
  }
  const folder = await openResultsFolder(dirname(out), { force });
  await folder.check(basename(out));
  return folder;
}

const optionsOfThisMachine = ['withoutOriginal', 'withMetadata', 'errorLevel'] as const;

async function reportCase(options: ReportOptions): Promise<void> {
  const { case: projectId, out, force, json } = options;
  if (projectId === undefined) throw usageError('Specify an analysis, or a case with --case.');
  if (out === undefined) throw usageError("required option '-o, --out <path>' not specified");
  assertNoOptions(options, ['html'], 'is for a single analysis; give its id.');
  const [, ending] = /\.(pdf|zip)$/i.exec(out) ?? [];
  if (ending === undefined)
    throw usageError('--out must end in .pdf for the report, or in .zip for report and bundles.');
  await checkFree(out, { force });
  const wanted: CaseFile = { projectId, out, kind: /pdf/i.test(ending) ? 'report' : 'bundle' };
  if (isRemote(options)) await fetchCase(wanted, options);
  else await (await import('./report-bundle.ts')).makeCase(wanted, options);
  if (json) printJson({ file: out, case: projectId });
  else print(out);
}

async function fetchCase({ projectId, out, kind }: CaseFile, options: ReportOptions) {
  const { tenant: tenantName, force, lang } = options;
  const why = "only works on the server's own machine; leave it out with --url.";
  assertNoOptions(options, optionsOfThisMachine, why);
  const query = { tenantName, projectId, language: kind === 'report' ? lang[0] : undefined };
  await withApi(options, async (api) => {
    const file = await api.download({ path: `/v1/analysis/case/${kind}`, query });
    await writeWholeFile(out, file, { force });
  });
}
