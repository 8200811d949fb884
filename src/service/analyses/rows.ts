/** Reads analyses with the small part of their results that responses need. Deleted ones are never returned. */

import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gte,
  inArray,
  isNull,
  lt,
  ne,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { listQuery } from '../../contract/analysis.ts';
import { toTime, type Wire } from '../../contract/common.ts';
import { resultClasses } from '../../contract/vocabulary.ts';
import {
  buildOnce,
  contains,
  foldText,
  hasElement,
  hasRow,
  isOneOf,
  type Reader,
  textSearchCondition,
  type Tx,
} from '../../ports/db/database.ts';
import { analyses, examinations, thumbnails, users } from '../../ports/db/schema.ts';
import { ForensicsError } from '../../contract/errors.ts';
import { isFree } from '../holds/legal-holds.ts';

export type AnalysisRow = typeof analyses.$inferSelect;

export interface Target {
  readonly tenantId: string;
  readonly analysisId: string;
}

// Reads only the columns that responses need, because in a long list every column costs time.
const {
  nameFolded: _nameFolded,
  commentFolded: _commentFolded,
  inputEtag: _inputEtag,
  queuedAt: _queuedAt,
  isBulk: _isBulk,
  evidenceKey: _evidenceKey,
  evidenceMd5: _evidenceMd5,
  createdByType: _createdByType,
  ...shownColumns
} = getTableColumns(analyses);

export type ShownRow = Pick<AnalysisRow, keyof typeof shownColumns>;

/** A row and, once completed, what responses show of its result. */
export interface Entry {
  readonly analysis: ShownRow;
  readonly result: Pick<typeof examinations.$inferSelect, keyof typeof resultColumns> | null;
  /** The last actor's current name; null unless the actor is a person who has one. */
  readonly lastChangedByName: string | null;
}

const { resultClass, resultSubClasses, scores, rendered } = examinations;
const resultColumns = { resultClass, resultSubClasses, scores, rendered };

/** The tenant's analyses that are not deleted. */
export function isAliveIn(tenantId: string) {
  return and(eq(analyses.tenantId, tenantId), isNull(analyses.deletedAt));
}

export function isTarget({ tenantId, analysisId }: Target) {
  return and(isAliveIn(tenantId), eq(analyses.id, analysisId));
}

/** @throws {ForensicsError} `analysis_not_found`, also for another tenant's analysis or a deleted one. */
export async function getRow(reader: Reader, target: Target): Promise<AnalysisRow> {
  const row = await reader.select().from(analyses).where(isTarget(target)).get();
  if (row === undefined) throw notFound();
  return row;
}

/** For the operator: also a deleted one that is on legal hold. @throws {ForensicsError} `analysis_not_found`. */
export async function getKeptRow(reader: Reader, { tenantId, analysisId }: Target) {
  const isIt = and(eq(analyses.tenantId, tenantId), eq(analyses.id, analysisId));
  const isKept = or(isNull(analyses.deletedAt), sql`NOT (${isFree})`);
  const row = await reader.select().from(analyses).where(and(isIt, isKept)).get();
  if (row === undefined) throw notFound();
  return row;
}

/** @throws {ForensicsError} `analysis_not_found`. */
export async function getEntry(reader: Reader, target: Target): Promise<Entry> {
  const entry = await entryById(reader).get({ ...target });
  if (entry === undefined) throw notFound();
  return entry;
}

const isOfTenant = and(
  eq(analyses.tenantId, sql.placeholder('tenantId')),
  isNull(analyses.deletedAt),
);

// For queries that need a different index: the plus signs keep SQLite from using that of the list.
const isOfTenantUnindexed = sql`+${analyses.tenantId} = ${sql.placeholder('tenantId')} AND +${analyses.deletedAt} IS NULL`;

const entryById = buildOnce((reader) =>
  selectEntries(reader)
    .where(and(isOfTenant, eq(analyses.id, sql.placeholder('analysisId'))))
    .prepare(),
);

/** `searchTerm`: literal, in any case, in name, comment, case, exhibit, examiner, tags and the last changer's name. */
export type ListQuery = Omit<Wire<typeof listQuery>, 'tenantName' | 'id'>;

type Filters = Omit<ListQuery, 'searchTerm' | 'start' | 'limit'> & {
  readonly searchTerm: string;
};

/** Newest first, then by id; `total` counts every match. */
export async function findEntries(
  reader: Reader,
  tenantId: string,
  { start, limit, ...filters }: Filters & Required<Pick<ListQuery, 'start' | 'limit'>>,
): Promise<{ readonly entries: readonly Entry[]; readonly total: number }> {
  const narrowed = and(...toConditions(reader, filters));
  const page = { tenantId, start, limit };
  if (filters.searchTerm === '' && narrowed === undefined) {
    const entries = await wholeList(reader).all(page);
    return { entries, total: await countAll(reader, tenantId) };
  }
  const isFound =
    filters.searchTerm === '' ? isOfTenant : await matches(reader, filters.searchTerm);
  const isMatch = and(isFound, narrowed);
  const entries = await prepareList(reader, isMatch).all(page);
  // A page that is not full is the last one, so the matches need not be counted separately.
  if (entries.length < limit && (entries.length > 0 || start === 0)) {
    return { entries, total: start + entries.length };
  }
  const counting = reader.select({ total: count() }).from(analyses);
  const joined =
    filters.verdict === undefined
      ? counting
      : counting.innerJoin(examinations, eq(examinations.analysisId, analyses.id));
  const counted = await joined.where(isMatch).prepare().get({ tenantId });
  return { entries, total: counted?.total ?? 0 };
}

/** Number of a tenant's analyses that are not deleted. SQLite keeps the count in a table; PostgreSQL counts. */
async function countAll(reader: Reader, tenantId: string): Promise<number> {
  const [row] = await reader.values(
    reader.engine === 'sqlite'
      ? sql`SELECT counted FROM analysis_counts WHERE tenant_id = ${tenantId}`
      : sql`SELECT count(*) FROM analyses WHERE tenant_id = ${tenantId} AND deleted_at IS NULL`,
  );
  return Number(row?.[0] ?? 0);
}

const wholeList = buildOnce((reader) => prepareList(reader, isOfTenant));

function prepareList(reader: Reader, isMatch: SQL | undefined) {
  return selectEntries(reader)
    .where(isMatch)
    .orderBy(desc(analyses.createdAt), asc(analyses.id))
    .limit(sql.placeholder('limit'))
    .offset(sql.placeholder('start'))
    .prepare();
}

/** A tenant's analyses last changed before a time, oldest first, except those being worked on or on legal hold. */
export async function findExpired(
  reader: Reader,
  { tenantId, before, limit }: { tenantId: string; before: Date; limit: number },
) {
  const isExpired = sql`coalesce(${analyses.updatedAt}, ${analyses.createdAt}) < ${before.getTime()}`;
  const isOld = and(isAliveIn(tenantId), lt(analyses.createdAt, before), isExpired);
  return reader
    .select()
    .from(analyses)
    .where(and(isOld, sql`NOT (${isAtWork})`, isFree))
    .orderBy(asc(analyses.createdAt))
    .limit(limit)
    .all();
}

/** Analyses of a deleted tenant that are not deleted yet, in any state. */
export async function findRemaining(
  reader: Reader,
  { tenantId, limit }: { tenantId: string; limit: number },
) {
  return reader.select().from(analyses).where(isAliveIn(tenantId)).limit(limit).all();
}

/** Whether other analyses of the tenant are queued or being examined. */
export async function isPartOfBulk(reader: Reader, { tenantId, analysisId }: Target) {
  const isOther = and(isAtWork, eq(analyses.tenantId, tenantId), ne(analyses.id, analysisId));
  return hasRow(reader, analyses, isOther);
}

/** Number of the tenant's pending analyses: not started yet, or queued. */
export async function countPending(reader: Reader, tenantId: string): Promise<number> {
  return reader.$count(analyses, and(isPending, eq(analyses.tenantId, tenantId)));
}

// Literals, so that SQLite sees that its partial indexes `analyses_pending` and `analyses_at_work` cover these.
const isPending = sql`${analyses.status} = 'pending' AND ${analyses.deletedAt} IS NULL`;
const isAtWork = sql`${analyses.queuedAt} IS NOT NULL AND ${analyses.deletedAt} IS NULL
  AND ${analyses.status} IN ('pending', 'processing')`;

const isLastActor = and(
  eq(analyses.lastChangedByType, 'user'),
  eq(users.id, analyses.lastChangedById),
);

function selectEntries(reader: Reader) {
  return reader
    .select({ analysis: shownColumns, result: resultColumns, lastChangedByName: users.name })
    .from(analyses)
    .leftJoin(examinations, eq(examinations.analysisId, analyses.id))
    .leftJoin(users, isLastActor);
}

function toConditions(
  reader: Reader,
  { verdict, status, tag, projectId, createdFrom, createdTo }: Omit<Filters, 'searchTerm'>,
) {
  return [
    verdict === undefined
      ? undefined
      : and(
          eq(analyses.status, 'completed'),
          eq(examinations.resultClass, resultClasses.indexOf(verdict)),
        ),
    status === undefined ? undefined : eq(analyses.status, status),
    projectId === undefined ? undefined : eq(analyses.projectId, projectId),
    tag === undefined ? undefined : hasElement(reader, analyses.tags, tag),
    createdFrom === undefined ? undefined : gte(analyses.createdAt, toTime(createdFrom)),
    createdTo === undefined ? undefined : lt(analyses.createdAt, toTime(createdTo)),
  ];
}

/** Matches analyses of the tenant that contain this term, taken literally without wildcards. */
async function matches(reader: Reader, searchTerm: string): Promise<SQL | undefined> {
  const term = foldText(searchTerm);
  const isOfSuchName = contains(reader, users.nameFolded, term);
  const people = () => reader.select({ id: users.id }).from(users).where(isOfSuchName);
  const hasTerm = or(
    contains(reader, analyses.nameFolded, term),
    contains(reader, analyses.commentFolded, term),
  );
  const few = await textSearchCondition(reader, term);
  if (few !== null && (await people().limit(1).get()) === undefined) {
    return and(few, isOfTenantUnindexed, hasTerm);
  }
  const isByPerson = and(
    eq(analyses.lastChangedByType, 'user'),
    isOneOf(reader, analyses.lastChangedById, people()),
  );
  return and(isOfTenant, or(hasTerm, isByPerson));
}

type Described = Pick<AnalysisRow, 'comment' | 'projectId' | 'caseData' | 'tags'>;

/** What a search reads besides the name: one text in the column of the comment, because that has its index. */
export function foldDescription({ comment, projectId, caseData, tags }: Described): string {
  // The comment comes last: it may contain U+0000, after which SQLite's index reads nothing.
  const texts = [projectId, caseData?.exhibit, caseData?.examiner, ...tags, comment];
  return foldText(texts.filter(Boolean).join('\n'));
}

function notFound(): ForensicsError {
  const message = 'Analysis not found; check its id and the tenant.';
  return new ForensicsError('analysis_not_found', message);
}

export async function addThumbnail(tx: Tx, { analysisId }: Target, jpeg: Uint8Array) {
  const row = { analysisId, jpeg: Buffer.from(jpeg) };
  await tx.insert(thumbnails).values(row).run();
}

export async function deleteThumbnail(tx: Tx, { analysisId }: Target): Promise<void> {
  await tx.delete(thumbnails).where(eq(thumbnails.analysisId, analysisId)).run();
}

/** Thumbnails (JPEG files in Base64) of the tenant's analyses that have one, in no particular order. */
export async function findThumbnails(reader: Reader, tenantId: string, ids: readonly string[]) {
  const isWanted = and(isAliveIn(tenantId), inArray(thumbnails.analysisId, [...ids]));
  const { analysisId: id, jpeg: bytes } = thumbnails;
  const found = await reader
    .select({ id, bytes })
    .from(thumbnails)
    .innerJoin(analyses, eq(analyses.id, id))
    .where(isWanted)
    .all();
  return found.map((one) => ({ id: one.id, jpeg: one.bytes.toString('base64') }));
}
