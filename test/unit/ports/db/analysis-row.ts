import type { Db } from '../../../../src/ports/db/database.ts';
import { type analyses, tenants } from '../../../../src/ports/db/schema.ts';

export const rowMadeAt = new Date('2026-03-01T12:00:00Z');

/** A pending analysis, for tests that write rows themselves. */
export function analysisRow(
  id: string,
  given: Partial<typeof analyses.$inferInsert> & { readonly tenantId: string },
): typeof analyses.$inferInsert {
  return {
    id,
    name: id,
    nameFolded: id,
    comment: '',
    commentFolded: '',
    tags: [],
    storageType: 's3',
    format: 'jpg',
    width: 1,
    height: 1,
    filename: 'a.jpg',
    inputKey: id,
    model: 'trace-3',
    modelVersion: '2.0.0',
    decisionStrategy: 'default',
    tier: 'flagging',
    seed: 1,
    status: 'pending',
    statusMessage: '',
    retryCount: 0,
    createdAt: rowMadeAt,
    ...given,
  };
}

/** Tenants "a" and "b", for such rows. */
export async function addTenants(db: Db): Promise<void> {
  const made = { isTrial: false, createdAt: rowMadeAt };
  const rows = ['a', 'b'].map((id) => ({ ...made, id, name: id, keyTag: id }));
  await db.insert(tenants).values(rows).run();
}
