/**
 * Checks everything an installation needs, from the models to the stores, the way the service uses
 * it. Changes nothing and leaves nothing behind.
 */

import { type Core, hasInstallation, openCore, tenantNamed } from '../../service/core.ts';
import { hasCode } from '../../errors.ts';
import type { Settings } from '../../contract/config.ts';
import { modelsFolder } from '../../ports/data-folder/data-folder.ts';
import { isSqlite } from '../../ports/db/sqlite.ts';
import {
  diagnose,
  type Diagnosis,
  fixFor,
  messageOf,
  checkAccess,
  checkCertificate,
  checkDatabase,
  checkModels,
  checkPostgres,
  checkRights,
  judgeSpace,
  measureSpace,
} from './installation.ts';
import { examineShipped, judgeReadings, readGolden, reinstall } from './self-test.ts';
import { checkStores } from './stores.ts';
import { findLastFailure, judgeWebhook } from './webhooks.ts';

interface Examination {
  readonly settings: Settings;
  /** Null for every tenant. */
  readonly tenantName: string | null;
  readonly publicUrl: URL;
  readonly isQuick: boolean;
  readonly now: () => Date;
  readonly onSlow: (what: string) => void;
}

/** @returns the diagnoses, in the order in which to fix them. @throws {ForensicsError} `tenant_not_found`. */
export async function examineInstallation(request: Examination): Promise<readonly Diagnosis[]> {
  const { settings, now } = request;
  const program = await examineProgram(request);
  const { failed } = diagnose('data folder');
  const refused = await checkAccess(settings.dataDir);
  if (refused !== null) return [...program, refused];
  try {
    if (!hasInstallation(settings)) {
      const fix = 'Start "forensics serve", or choose another folder with --data-dir.';
      return [...program, failed('The data folder is not set up yet.', fix)];
    }
  } catch (error) {
    return [...program, failed(messageOf(error), fixFor(error))];
  }
  const { dataDir, maxUploadBytes } = settings;
  return [
    ...program,
    checkRights(dataDir),
    judgeSpace(await measureSpace(dataDir), maxUploadBytes),
    checkCertificate(settings, now()),
    ...(await examineInside(request)),
  ];
}

async function examineProgram({ settings, isQuick, onSlow }: Examination) {
  const modelsDir = modelsFolder(settings);
  const models = await checkModels(modelsDir);
  // With a damaged model, the self-test would only fail again.
  if (isQuick || models.state === 'failed') return [models];
  onSlow('Examining two synthetic pictures');
  try {
    const found = await examineShipped(modelsDir);
    return [models, judgeReadings(found, await readGolden(found.examination.model.id))];
  } catch (error) {
    return [models, diagnose('self-test').failed(messageOf(error), reinstall)];
  }
}

async function examineInside(request: Examination): Promise<readonly Diagnosis[]> {
  const { settings, tenantName, now, onSlow } = request;
  let core: Core;
  try {
    core = await openCore(settings, now);
  } catch (error) {
    const isSilent = hasCode(error, 'store_unavailable');
    const ofPostgres = isSilent
      ? 'Check databaseUrl, and that PostgreSQL is running: pg_isready'
      : 'Correct that, then run "forensics doctor" again.';
    const fix = settings.databaseUrl === null ? fixFor(error) : ofPostgres;
    return [diagnose('database').failed(messageOf(error), fix)];
  }
  try {
    onSlow('Reading the database');
    const { db } = core.database;
    const database = isSqlite(db) ? checkDatabase(db) : await checkPostgres(db);
    if (database.state === 'failed') return [database];
    const tenant = tenantName === null ? null : await tenantNamed(core, tenantName);
    const parts = { ...request, core, tenant };
    onSlow('Checking the stores');
    const tenants = tenant === null ? await core.tenants.list() : [tenant];
    const webhooks = tenants
      .filter(({ webhookUrl }) => webhookUrl !== null)
      .map(async (each) => judgeWebhook(each, await findLastFailure(db, each.id)));
    // If the default store is misconfigured, the others cannot be checked.
    const stores = await checkStores(parts).catch((error: unknown) => [
      diagnose('store').failed(messageOf(error), fixFor(error)),
    ]);
    return [database, ...stores, ...(await Promise.all(webhooks))];
  } finally {
    await core.close();
  }
}
