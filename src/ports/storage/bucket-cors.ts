/**
 * Controls which web pages may use the presigned URLs of a tenant's own bucket. The rules are applied once per
 * configuration, and the outcome is saved with it. A store that rejects them causes a warning, not a failure.
 */

import { withinTime } from '../../retry.ts';
import { isDeepStrictEqual } from 'node:util';
import { and, eq } from 'drizzle-orm';
import type { Db } from '../db/database.ts';
import { storageConfigs } from '../db/schema.ts';
import type { ConfigRow, StorageConfig } from './configs.ts';
import type { CorsOutcome, RemoteStore } from './store.ts';

export type BucketCors = ReturnType<typeof createBucketCors>;

type CorsTarget = Pick<RemoteStore, 'applyCors'>;

interface BucketCorsSettings {
  readonly db: Db;
  /** Used for configurations without origins. */
  readonly defaultOrigins: readonly string[];
  readonly now: () => Date;
  /** Maximum time that a caller waits; the attempt continues. */
  readonly timeoutMs?: number;
  readonly onError?: (error: unknown) => void;
}

/** Time after a failure before the next attempt. */
const pauseMs = 10 * 60_000;

export function createBucketCors(settings: BucketCorsSettings) {
  const { db, defaultOrigins, now, timeoutMs = 5000, onError = () => undefined } = settings;
  const running = new Map<string, Promise<void>>();
  const failedAtMs = new Map<string, number>();

  const allowedOrigins = (config: StorageConfig): readonly string[] =>
    (config.type === 's3' ? config.s3.corsAllowedOrigins : null) ?? defaultOrigins;

  async function applyAndRecord(row: ConfigRow, origins: readonly string[], store: CorsTarget) {
    const outcome = await store.applyCors(origins);
    if (outcome.applied) failedAtMs.delete(row.id);
    else failedAtMs.set(row.id, now().getTime());
    await record(db, row, { origins, outcome });
  }

  async function apply(row: ConfigRow, config: StorageConfig, store: CorsTarget): Promise<void> {
    const nonce = row.sealed.toString('base64');
    const already = running.get(nonce);
    if (already !== undefined) return withinTime(already, timeoutMs, () => undefined);
    const applying = applyAndRecord(row, allowedOrigins(config), store)
      .catch(onError)
      .finally(() => running.delete(nonce));
    running.set(nonce, applying);
    await withinTime(applying, timeoutMs, () => undefined);
  }

  return {
    /** Applies the rules even if already done. */
    apply,
    /** Applies the rules unless already done; concurrent calls share one attempt. Waits at most `timeoutMs`. */
    async ensure(row: ConfigRow, config: StorageConfig, store: CorsTarget) {
      if (isDeepStrictEqual(allowedOrigins(config), row.corsApplied ?? [])) return;
      const failedMs = failedAtMs.get(row.id);
      if (failedMs !== undefined && now().getTime() - failedMs < pauseMs) return;
      await apply(row, config, store);
    },
  };
}

interface Applied {
  readonly origins: readonly string[];
  readonly outcome: CorsOutcome;
}

/** Only if the configuration has not been re-saved in the meantime. */
async function record(
  db: Db,
  { id, sealed }: ConfigRow,
  { origins, outcome }: Applied,
): Promise<void> {
  const isSame = and(eq(storageConfigs.id, id), eq(storageConfigs.sealed, sealed));
  const change = outcome.applied
    ? { corsApplied: origins, corsWarning: null }
    : { corsApplied: null, corsWarning: outcome.reason };
  await db.update(storageConfigs).set(change).where(isSame).run();
}
