/** Tests a backup: restores it to a temporary folder, opens that as a server would, and examines a picture in it. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { and, asc, eq, isNotNull, isNull } from 'drizzle-orm';
import { readConfig, type Settings } from '../../contract/config.ts';
import { defaultSeed } from '../../contract/vocabulary.ts';
import { createSandbox } from '../../examiner/sandbox.ts';
import { modelsFolder } from '../../ports/data-folder/data-folder.ts';
import { analyses } from '../../ports/db/schema.ts';
import { limitsForAccepted } from '../../image/picture.ts';
import { readEvidence } from '../../service/analyses/evidence.ts';
import { type Core, openCore } from '../../service/core.ts';
import { openBlobs } from '../../service/storage.ts';
import type { ReadOptions } from './archive-reader.ts';
import type { Manifest } from './contents.ts';
import { restore } from './restore.ts';

/** The analysis whose original was examined, and the verdict; null if the backup contains no original. */
export type Rehearsal = { readonly analysisId: string; readonly verdict: string } | null;

/** Whether all keys that a restored service needs are available. */
export function canRehearse({ holdsKeys, masterKey: { place } }: Manifest): boolean {
  return holdsKeys && (place === 'here' || process.env[masterKeyVariable] !== undefined);
}

const masterKeyVariable = 'FORENSICS_MASTER_KEY';

/**
 * Leaves nothing behind in the system's folder for temporary files (`TMPDIR`), where it needs as much space as the
 * backup takes.
 *
 * @throws {ForensicsError} as `restore` and as an examination does; `evidence_damaged`.
 */
export async function rehearse(
  file: string,
  { masterKey: { place } }: Manifest,
  onProgress?: ReadOptions['onProgress'],
): Promise<Rehearsal> {
  const scratch = await mkdtemp(join(tmpdir(), 'forensics-rehearsal-'));
  try {
    const masterKey = place === 'here' ? undefined : process.env[masterKeyVariable];
    const { settings } = readConfig({
      flags: { dataDir: join(scratch, 'data'), intake: 'everything' },
      environment: { XDG_CONFIG_HOME: scratch, [masterKeyVariable]: masterKey },
    });
    await restore(settings, {
      file,
      keysDir: null,
      ...(onProgress && { onProgress }),
    });
    const core = await openCore(settings);
    try {
      return await examineOne(core, settings);
    } finally {
      await core.close();
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const maxLookedFor = 100;

async function examineOne(core: Core, settings: Settings): Promise<Rehearsal> {
  const rows = await core.database.db
    .select()
    .from(analyses)
    .where(
      and(
        isNull(analyses.storageConfigId),
        isNotNull(analyses.evidenceKey),
        eq(analyses.status, 'completed'),
      ),
    )
    .orderBy(asc(analyses.id))
    .limit(maxLookedFor)
    .all();
  const { stores } = openBlobs({ settings, core, now: core.now, onError: () => undefined });
  for (const row of rows) {
    const store = await stores.of(row);
    // A purge may have deleted the original while the backup was being made.
    if ((await store.head(row.evidenceKey ?? '')) !== null)
      return examine({ row, store }, settings);
  }
  return null;
}

async function examine(
  kept: Parameters<typeof readEvidence>[1],
  settings: Settings,
): Promise<Rehearsal> {
  const limits = limitsForAccepted(settings);
  const bytes = await readEvidence({ limits }, kept);
  const sandbox = createSandbox({ poolSize: 1, modelsDir: modelsFolder(settings), limits });
  try {
    const options = { model: null, decisionStrategy: 'default', seed: defaultSeed } as const;
    const { decision } = await sandbox.examine({ source: { bytes }, options });
    return { analysisId: kept.row.id, verdict: decision.resultClass };
  } finally {
    await sandbox.close();
  }
}
