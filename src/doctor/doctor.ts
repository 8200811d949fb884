/**
 * Looks at everything that an installation needs, from the runtime to the stores, as it is used in earnest. Changes
 * nothing and leaves nothing behind.
 */

import { type Core, hasInstallation, openCore, tenantNamed } from '../app/core.ts';
import type { Settings } from '../config/config.ts';
import { isOfAnother, modelsFolder } from '../data-folder/data-folder.ts';
import { checkCertificate, judgeOwnClock, newestTime } from './clock.ts';
import { requireSqlite } from '../db/sqlite.ts';
import { diagnose, type Diagnosis, fixFor, messageOf } from './diagnosis.ts';
import { checkDatabase, checkFolder, checkModels, checkRuntime } from './installation.ts';
import { checkSelf } from './self-test.ts';
import { checkStores, type StoresToCheck } from './stores.ts';
import { checkWebhooks } from './webhooks.ts';

interface Examination {
  readonly settings: Settings;
  /** Null for every tenant. */
  readonly tenantName: string | null;
  /** Where clients reach the server. */
  readonly publicUrl: URL;
  /** Whether a test message goes to each receiver of webhooks. */
  readonly isSending: boolean;
  /** Leaves the self-test out. */
  readonly isQuick: boolean;
  readonly now: () => Date;
  /** Told before what takes some seconds. */
  readonly onSlow: (what: string) => void;
}

/** In the order in which people should fix it. @throws {ForensicsError} `tenant_not_found`. */
export async function examineInstallation(asked: Examination): Promise<readonly Diagnosis[]> {
  const { settings, now } = asked;
  const program = await examineProgram(asked);
  const { failed } = diagnose('data folder');
  if (isOfAnother(settings.dataDir)) {
    // Files that we make would be ours, and keep the server from its work.
    const fix = 'Run it as the user who runs the server: sudo -u <user> forensics doctor';
    return [...program, failed('It belongs to another user.', fix)];
  }
  try {
    if (!hasInstallation(settings)) {
      const fix = 'Start "forensics serve", or name another folder with --data-dir.';
      return [...program, failed('Nothing is set up in it yet.', fix)];
    }
  } catch (error) {
    return [...program, failed(messageOf(error), fixFor(error))];
  }
  const machine = [...(await checkFolder(settings)), checkCertificate(settings, now())];
  return [...program, ...machine, ...(await examineInside(asked))];
}

async function examineProgram({
  settings,
  isQuick,
  onSlow,
}: Examination): Promise<readonly Diagnosis[]> {
  const modelsDir = modelsFolder(settings);
  const known = [...(await checkRuntime()), ...(await checkModels(modelsDir))];
  // Without its parts it would only fail once more.
  if (isQuick || known.some(({ state }) => state === 'failed')) return known;
  onSlow('Examining two drawn pictures');
  return [...known, await checkSelf(modelsDir)];
}

async function examineInside(asked: Examination): Promise<readonly Diagnosis[]> {
  const { settings, tenantName, now, onSlow } = asked;
  let core: Core;
  try {
    core = await openCore(settings, now);
  } catch (error) {
    return [diagnose('database').failed(messageOf(error), fixFor(error))];
  }
  try {
    onSlow('Reading the database');
    const database = checkDatabase(requireSqlite(core.database.db));
    if (database.state === 'failed') return [database];
    const tenant = tenantName === null ? null : await tenantNamed(core, tenantName);
    const parts = { ...asked, core, tenant };
    const clock = judgeOwnClock(now(), await newestTime(core.database.db));
    onSlow('Asking the stores');
    return [database, clock, ...(await storesOf(parts)), ...(await checkWebhooks(parts))];
  } finally {
    await core.close();
  }
}

/** A misconfigured default store keeps the others from being checked. */
async function storesOf(parts: StoresToCheck): Promise<readonly Diagnosis[]> {
  try {
    return await checkStores(parts);
  } catch (error) {
    return [diagnose('store').failed(messageOf(error), fixFor(error))];
  }
}
