/** Counts each client's requests in the current minute across servers. The table is unlogged: a crash may empty it. */

import { sql } from 'drizzle-orm';
import type { Db } from '../../ports/db/database.ts';

interface CountKey {
  readonly who: string;
  readonly windowMs: number;
  readonly at: Date;
}

/** Counts one more request. A new window opens with the first request after the previous window ended. */
export async function countRequest(db: Db, { who, windowMs, at }: CountKey) {
  const now = at.getTime();
  const isOver = sql`request_counts.begun_at <= ${now - windowMs}`;
  const rows = await db.values<[number, number]>(
    sql`INSERT INTO request_counts (who, begun_at, requests) VALUES (${who}, ${now}, 1)
      ON CONFLICT (who) DO UPDATE SET
        requests = CASE WHEN ${isOver} THEN 1 ELSE request_counts.requests + 1 END,
        begun_at = CASE WHEN ${isOver} THEN excluded.begun_at ELSE request_counts.begun_at END
      RETURNING requests, begun_at`,
  );
  const [requests, begunAt] = rows[0]!;
  return { requests, begunAt };
}

export async function readCount(db: Db, { who, windowMs, at }: CountKey) {
  const after = at.getTime() - windowMs;
  const [row] = await db.values<[number, number]>(
    sql`SELECT requests, begun_at FROM request_counts WHERE who = ${who} AND begun_at > ${after}`,
  );
  return row === undefined ? null : { requests: row[0], begunAt: row[1] };
}

export async function forgetCounts(db: Db, before: Date): Promise<void> {
  if (db.engine === 'sqlite') return;
  await db.run(sql`DELETE FROM request_counts WHERE begun_at < ${before.getTime()}`);
}
