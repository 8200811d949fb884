/**
 * Which web pages may use the presigned URLs of a tenant's own bucket: applied once a configuration, and its outcome kept
 * beside it. A store that does not take the rules is a warning for people; no act fails for it.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { and, eq } from 'drizzle-orm';
import type { Db } from '../db/database.ts';
import { storageConfigs } from '../db/schema.ts';
import type { ConfigRow } from './configs.ts';
import type { StorageConfig } from './storage-config.ts';
import type { CorsOutcome, RemoteStore } from './store.ts';

export interface BucketCors {
  /** Applies the rules unless that was done; concurrent calls do it once. Takes `timeoutMs` at most. */
  ensure(row: ConfigRow, config: StorageConfig, store: CorsTarget): Promise<void>;
  /** Applies the rules, also when that was done before. */
  apply(row: ConfigRow, config: StorageConfig, store: CorsTarget): Promise<void>;
}

type CorsTarget = Pick<RemoteStore, 'applyCors'>;

interface BucketCorsSettings {
  readonly db: Db;
  /** For configurations that name no origins of their own. */
  readonly defaultOrigins: readonly string[];
  readonly now: () => Date;
  /** What a caller waits at most; the rules are applied all the same. */
  readonly timeoutMs?: number;
  readonly onError?: (error: unknown) => void;
}

/** After a failure the next act tries again this much later: the store may have been away for a moment. */
const pauseMs = 10 * 60_000;

export function createBucketCors(settings: BucketCorsSettings): BucketCors {
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
    if (already !== undefined) return withinTime(already, timeoutMs);
    const applying = applyAndRecord(row, allowedOrigins(config), store)
      .catch(onError)
      .finally(() => running.delete(nonce));
    running.set(nonce, applying);
    await withinTime(applying, timeoutMs);
  }

  return {
    apply,
    async ensure(row, config, store) {
      if (isSameList(allowedOrigins(config), row.corsApplied ?? [])) return;
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

/** Only beside the configuration as it was read: one that was saved since has rules of its own. */
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

async function withinTime(work: Promise<void>, timeoutMs: number): Promise<void> {
  const timeout = new AbortController();
  const pause = wait(timeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined);
  await Promise.race([work, pause]);
  timeout.abort();
}

function isSameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((entry, index) => entry === right[index]);
}
