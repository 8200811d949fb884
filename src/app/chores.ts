/** What the program does once a day: it cleans up, and says how far the audit log has come. */

import { purgeExpired } from '../access/purge.ts';
import type { Analyses } from '../analyses/analyses.ts';
import type { Notice } from '../analyses/context.ts';
import type { Audit } from '../audit/audit.ts';
import type { Buckets } from '../blobs/embedded/buckets.ts';
import { forgetOldRequests } from '../db/idempotency.ts';
import { type Db, transact } from '../db/open.ts';
import { purgeFeedback } from '../feedback/purge.ts';
import type { Chore } from '../jobs/chores.ts';
import { purgeDeliveries } from '../webhooks/purge.ts';

/** Long enough to look into a complaint about a message that did not come. */
const deliveriesKeptMs = 30 * 24 * 3_600_000;

export function choresOf({
  db,
  audit,
  analyses,
  buckets,
  now,
  onNotice,
}: {
  readonly db: Db;
  readonly audit: Pick<Audit, 'chains' | 'head'>;
  readonly analyses: Pick<Analyses, 'cleanUp'>;
  readonly buckets: Pick<Buckets, 'sweep'>;
  readonly now: () => Date;
  readonly onNotice: (what: string, facts: Notice) => void;
}): Chore[] {
  return [
    {
      name: 'webhook-deliveries',
      run: (signal) => purgeDeliveries(db, new Date(now().getTime() - deliveriesKeptMs), signal),
    },
    { name: 'idempotency-keys', run: () => transact(db, (tx) => forgetOldRequests(tx, now())) },
    { name: 'sessions', run: () => purgeExpired(db, now()) },
    { name: 'feedback', run: () => purgeFeedback(db, now()) },
    { name: 'uploads', run: () => void buckets.sweep() },
    { name: 'retention', run: (signal) => analyses.cleanUp(signal) },
    {
      // Into the log of the server, which is kept elsewhere: who rewrites the database does not reach it there.
      name: 'audit-heads',
      run: () => {
        for (const chain of audit.chains()) onNotice('audit-head', { ...audit.head(chain) });
      },
    },
  ];
}
