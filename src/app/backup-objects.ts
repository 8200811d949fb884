/** What the rows of a database name outside of it: objects of the embedded store, and the stores of others. */

import { and, asc, count, eq, gt, isNull } from 'drizzle-orm';
import { keysOf, parseRendered } from '../analyses/record.ts';
import type { NamedObject } from '../backup/contents.ts';
import type { Manifest } from '../backup/manifest.ts';
import { objectPath } from '../blobs/embedded/buckets.ts';
import { bucketNameFor } from '../blobs/embedded/credentials.ts';
import type { Db } from '../db/open.ts';
import { analyses, examinations, storageConfigs } from '../db/schema.ts';

// The texts of the reports stand in the same column as their keys.
const batch = 200;

/** Also those of analyses that were deleted and wait for their purge. */
export function* embeddedObjects(db: Db): Generator<NamedObject> {
  for (let last = ''; ; ) {
    const rows = findRows(db, last);
    for (const { tenantId, inputKey, evidenceKey, rendered } of rows) {
      const outputs = rendered === null ? [] : keysOf(parseRendered(rendered));
      for (const key of [inputKey, ...outputs]) yield named(tenantId, key, false);
      if (evidenceKey !== null) yield named(tenantId, evidenceKey, true);
    }
    if (rows.length < batch) return;
    last = rows.at(-1)!.id;
  }
}

export function storesElsewhere(db: Db): Manifest['elsewhere'] {
  return db
    .select({
      type: storageConfigs.type,
      place: storageConfigs.place,
      analyses: count(analyses.id),
    })
    .from(storageConfigs)
    .leftJoin(analyses, eq(analyses.storageConfigId, storageConfigs.id))
    .groupBy(storageConfigs.type, storageConfigs.place)
    .orderBy(asc(storageConfigs.place))
    .all();
}

function findRows(db: Db, after: string) {
  const { id, tenantId, inputKey, evidenceKey } = analyses;
  return db
    .select({ id, tenantId, inputKey, evidenceKey, rendered: examinations.rendered })
    .from(analyses)
    .leftJoin(examinations, eq(examinations.analysisId, id))
    .where(and(gt(id, after), isNull(analyses.storageConfigId)))
    .orderBy(asc(id))
    .limit(batch)
    .all();
}

function named(tenantId: string, key: string, isEvidence: boolean): NamedObject {
  return { path: `blobs/${objectPath(bucketNameFor(tenantId), key)}`, isEvidence };
}
