/** Small copies of examined pictures, for lists. */

import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Reader, Tx } from '../../ports/db/database.ts';
import { analyses, thumbnails } from '../../ports/db/schema.ts';
import type { Target } from './rows.ts';

export interface Thumbnail {
  readonly id: string;
  /** A JPEG file in Base64. */
  readonly jpeg: string;
}

export async function addThumbnail(
  tx: Tx,
  { analysisId }: Target,
  jpeg: Uint8Array,
): Promise<void> {
  await tx
    .insert(thumbnails)
    .values({ analysisId, jpeg: Buffer.from(jpeg) })
    .run();
}

export async function deleteThumbnail(tx: Tx, { analysisId }: Target): Promise<void> {
  await tx.delete(thumbnails).where(eq(thumbnails.analysisId, analysisId)).run();
}

/** Thumbnails of those analyses of the tenant that have one, in no particular order. */
export async function findThumbnails(
  reader: Reader,
  tenantId: string,
  ids: readonly string[],
): Promise<readonly Thumbnail[]> {
  const isWanted = and(
    inArray(thumbnails.analysisId, [...ids]),
    eq(analyses.tenantId, tenantId),
    isNull(analyses.deletedAt),
  );
  const found = await reader
    .select()
    .from(thumbnails)
    .innerJoin(analyses, eq(analyses.id, thumbnails.analysisId))
    .where(isWanted)
    .all();
  return found.map(({ thumbnails: { analysisId: id, jpeg } }) => ({
    id,
    jpeg: jpeg.toString('base64'),
  }));
}
