/** Fetches a stored analysis of a server: its result, and its heatmaps and reports where the tier has them. */

import { basename, dirname } from 'node:path';
import { openDossier } from '../../analyses/evidence-bundle.ts';
import { type Core, keptTenantNamed } from '../../app/core.ts';
import { modelsFolder } from '../../app/data-folder.ts';
import { createSigningKeys } from '../../app/signing-keys.ts';
import { openBlobs } from '../../app/storage.ts';
import { citedValidation } from '../../app/validations.ts';
import { operator } from '../../audit/entry.ts';
import type { Settings } from '../../config/config.ts';
import type { Analysis } from '../../contract/analysis.ts';
import { writeBundle } from '../../evidence/write-bundle.ts';
import { checkFree, writeWholeFile } from '../../files/output-file.ts';
import { defaultLimits } from '../../image/picture.ts';
import { createRegistry } from '../../inference/registry.ts';
import { readTrustList } from '../../provenance/c2pa-reader.ts';
import { createSandbox } from '../../sandbox/create-sandbox.ts';
import { cardOf } from '../analyze/formats/details.ts';
import type { AnalysisRecord } from '../analyze/record.ts';
import {
  type Connection,
  openConnection,
  type RemoteAnalyses,
} from '../analyze/remote/analyses.ts';
import { downloadFiles, withFreshUrls } from '../analyze/remote/download.ts';
import { remoteRecordOf } from '../analyze/remote/record.ts';
import { keepResults, openResultsFolder, type ResultsFolder } from '../analyze/results-folder.ts';
import type { ReportOptions } from '../commands/report.ts';
import { usageError } from '../errors.ts';
import { refuseOptions } from '../options.ts';
import { print, printJson, say } from '../output/print.ts';
import { columnsOf } from '../output/terminal.ts';
import { withLocalCore } from '../target/data-folder.ts';

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

// Opens the stored analysis, signs its bundle, tells the audit log, and writes the file.

export async function writeReport(
  analysisId: string,
  options: ReportOptions & { readonly out: string },
): Promise<void> {
  const { out, force, json, withoutOriginal } = options;
  await checkFree(out, { force });
  const { bundle, fingerprint, signedAt } = await withLocalCore(options, async (core, settings) => {
    const { id: tenantId } = await keptTenantNamed(core, options.tenant);
    const dossier = await dossierOf({ core, settings }, { tenantId, analysisId }, options);
    const signer = createSigningKeys({ dataDir: core.folder.path, now }).signer();
    const how = { withOriginal: !withoutOriginal, signer, signedAt: now() };
    const made = writeBundle(dossier, how);
    // Told before it is written: no signed bundle of which the log knows nothing.
    const details = { manifestSha256: made.manifestSha256 };
    const event = 'analysis.bundled';
    core.audit.note({ chain: tenantId, actor: operator, event, subject: analysisId, details });
    return { bundle: made, fingerprint: signer.fingerprint, signedAt: how.signedAt };
  });
  await writeWholeFile(out, bundle.bytes, { force });
  const { manifestSha256 } = bundle;
  if (json) return printJson({ file: out, analysisId, fingerprint, signedAt, manifestSha256 });
  say(`Signed by the key ${fingerprint}.`);
  print(out);
}

interface Opened {
  readonly core: Core;
  readonly settings: Settings;
}

async function dossierOf(
  { core, settings }: Opened,
  target: Parameters<typeof openDossier>[1],
  { withMetadata }: ReportOptions,
) {
  const limits = { ...defaultLimits, maxBytes: settings.maxUploadBytes };
  const { stores } = openBlobs({ settings, core, now, onError: raise });
  const registry = createRegistry({ extra: modelsFolder(settings) });
  const validation = await citedValidation(settings, registry);
  const trustList = readTrustList(settings.c2paTrustList);
  const sandbox = createSandbox({ poolSize: 1, limits });
  try {
    const { db } = core.database;
    const parts = { db, stores, limits, validation, trustList, sandbox };
    return await openDossier(parts, target, { withMetadata });
  } finally {
    await sandbox.close();
  }
}

const now = () => new Date();

function raise(error: unknown): never {
  throw error;
}
