/**
 * Pictures of a tenant that show the same as another: cropped, scaled, mirrored, saved again, written on. An index has the keys of
 * the keypoints of each picture; those that share some are compared keypoint by keypoint.
 */

import { createHash } from 'node:crypto';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { SeenBefore } from '../../contract/seen-before.ts';
import { type Alignment, align } from '../../image/alignment.ts';
import { mirrorKey, unpackFingerprint } from '../../image/keypoints.ts';
import { eachNumber, type Reader, type Tx } from '../../ports/db/database.ts';
import { analyses, fingerprintKeys, fingerprints, tenants } from '../../ports/db/schema.ts';
import { getRow, type Target } from './rows.ts';

/** Pictures that a key may lead to: one that occurs in more, such as a letter of a logo, tells nothing. */
const maxPerKey = 200;
/** Keys in common from which two pictures are compared, and how many pictures are, those with the most in common first. */
const minShared = 2;
const maxCompared = 20;
/** Pictures that are named in an answer. */
const maxListed = 20;

/** Whether the tenant wants its pictures to be compared. */
export async function isSearched(reader: Reader, { tenantId }: Pick<Target, 'tenantId'>) {
  const which = eq(tenants.id, tenantId);
  const found = await reader.select({ on: tenants.seenBefore }).from(tenants).where(which).get();
  return found?.on === true;
}

/** @param packed - see `packFingerprint`. */
export async function addFingerprint(
  tx: Tx,
  { tenantId, analysisId }: Target,
  packed: Uint8Array,
): Promise<void> {
  const row = { analysisId, packed: Buffer.from(packed) };
  const { id } = await tx.insert(fingerprints).values(row).returning({ id: fingerprints.id }).get();
  const keys = eachNumber(tx, keysIn(tenantId, packed));
  const others = sql`SELECT 1 FROM fingerprint_keys WHERE key = list.value LIMIT ${maxPerKey}`;
  await tx.run(sql`INSERT INTO fingerprint_keys (key, fingerprint)
    SELECT value, ${id} FROM (${keys}) AS list WHERE (SELECT count(*) FROM (${others}) AS others) < ${maxPerKey}`);
}

/** Does nothing where there is none. */
export async function deleteFingerprint(tx: Tx, { tenantId, analysisId }: Target): Promise<void> {
  const isOfIt = eq(fingerprints.analysisId, analysisId);
  const found = await tx.delete(fingerprints).where(isOfIt).returning().get();
  if (found === undefined) return;
  const keys = eachNumber(tx, keysIn(tenantId, found.packed));
  const isKey = sql`${fingerprintKeys.key} IN (${keys})`;
  await tx
    .delete(fingerprintKeys)
    .where(and(isKey, eq(fingerprintKeys.fingerprint, found.id)))
    .run();
}

/**
 * Other pictures of the tenant that show the same, the oldest first; none where the picture is too plain to be recognised, or was
 * examined while the search was off.
 *
 * @throws {ForensicsError} `analysis_not_found`.
 */
export async function findSeenBefore(
  reader: Reader,
  target: Target,
): Promise<readonly SeenBefore[]> {
  await getRow(reader, target);
  const isOfIt = eq(fingerprints.analysisId, target.analysisId);
  const own = await reader.select().from(fingerprints).where(isOfIt).get();
  if (own === undefined) return [];
  const fingerprint = unpackFingerprint(own.packed);
  const found: SeenBefore[] = [];
  for (const { analysis, packed } of await findCandidates(reader, target, own.packed)) {
    const alignment = align(fingerprint, unpackFingerprint(packed));
    if (alignment !== null) found.push(toEntry(analysis, alignment));
  }
  return found
    .toSorted((one, other) => one.createdDate.localeCompare(other.createdDate))
    .slice(0, maxListed);
}

async function findCandidates(reader: Reader, { tenantId, analysisId }: Target, own: Buffer) {
  const keys = eachNumber(reader, keysIn(tenantId, own, { withLikely: true }));
  const sharing = sql`SELECT fingerprint, count(*) AS shared FROM fingerprint_keys
    WHERE key IN (${keys}) GROUP BY fingerprint HAVING count(*) >= ${minShared}
    ORDER BY shared DESC LIMIT ${maxCompared + 1}`;
  const isOther = and(
    eq(analyses.tenantId, tenantId),
    isNull(analyses.deletedAt),
    sql`${analyses.id} <> ${analysisId}`,
    sql`${fingerprints.id} IN (SELECT fingerprint FROM (${sharing}) AS sharing)`,
  );
  return reader
    .select({ analysis: shownOfOther, packed: fingerprints.packed })
    .from(fingerprints)
    .innerJoin(analyses, eq(analyses.id, fingerprints.analysisId))
    .where(isOther)
    .all();
}

const { id, name, projectId, createdAt } = analyses;
const shownOfOther = { id, name, projectId, createdAt };
type Other = Pick<typeof analyses.$inferSelect, keyof typeof shownOfOther>;

function toEntry(other: Other, { isMirrored, scale, left, top, share }: Alignment): SeenBefore {
  return {
    id: other.id,
    name: other.name,
    projectId: other.projectId,
    createdDate: other.createdAt.toISOString(),
    alignment: { isMirrored, scale, left, top },
    likeness: share,
  };
}

/** One for each keypoint, whether mirrored or not, different for each tenant. @param withLikely - also what keys of a copy may be. */
function keysIn(tenantId: string, packed: Uint8Array, { withLikely = false } = {}): number[] {
  const tag = createHash('sha256').update(tenantId).digest().readUInt32BE() >>> 12;
  const keys = unpackFingerprint(packed).keypoints.flatMap(({ key, weakBits: [first, second] }) =>
    withLikely ? [key, flip(key, first), flip(key, second), flip(flip(key, first), second)] : [key],
  );
  return [...new Set(keys.map((key) => tag * 2 ** 32 + Math.min(key, mirrorKey(key))))];
}

function flip(key: number, bit: number): number {
  return (key ^ (1 << bit)) >>> 0;
}
