/**
 * Finds a tenant's pictures that show the same thing as another: cropped, scaled, mirrored, resaved or written on. An
 * index contains the keypoint keys of each picture; pictures that share keys are compared keypoint by keypoint. It also
 * contains keys for facts in the metadata: a camera's serial number, a document id, the settings of a generator.
 */

import { createHash } from 'node:crypto';
import { and, eq, inArray, ne, sql } from 'drizzle-orm';
import { type SeenBefore, seenReasons } from '../../contract/seen-before.ts';
import { align, type Alignment } from '../../image/alignment.ts';
import { mirrorKey, unpackFingerprint } from '../../image/keypoints.ts';
import type { Metadata, Tags } from '../../image/metadata.ts';
import { eachNumber, type Reader, type Tx } from '../../ports/db/database.ts';
import { analyses, fingerprintKeys, fingerprints, tenants } from '../../ports/db/schema.ts';
import { getRow, isAliveIn, type Target } from './rows.ts';

/** Maximum pictures per key. A key that more pictures share, such as one from a letter in a logo, says nothing. */
const maxPerKey = 200;
/** Maximum number of pictures compared; those that share the most keys come first. */
const maxCompared = 20;
const maxListed = 20;

/** Whether the tenant's settings allow comparing its pictures. */
export async function isSearched(reader: Reader, { tenantId }: Pick<Target, 'tenantId'>) {
  const which = eq(tenants.id, tenantId);
  const found = await reader.select({ on: tenants.seenBefore }).from(tenants).where(which).get();
  return found?.on === true;
}

export interface SearchKeys {
  readonly packed: Uint8Array;
  readonly facts: readonly number[];
}

export async function addFingerprint(
  tx: Tx,
  { tenantId, analysisId }: Target,
  { packed, facts }: SearchKeys,
): Promise<void> {
  const row = { analysisId, packed: Buffer.from(packed), facts };
  const { id } = await tx.insert(fingerprints).values(row).returning({ id: fingerprints.id }).get();
  const keys = eachNumber(tx, [...keysIn(tenantId, packed), ...facts]);
  const others = sql`SELECT 1 FROM fingerprint_keys WHERE key = list.value LIMIT ${maxPerKey}`;
  await tx.run(sql`INSERT INTO fingerprint_keys (key, fingerprint)
    SELECT value, ${id} FROM (${keys}) AS list WHERE (SELECT count(*) FROM (${others}) AS others) < ${maxPerKey}`);
}

export async function deleteFingerprint(tx: Tx, { tenantId, analysisId }: Target): Promise<void> {
  const isOfIt = eq(fingerprints.analysisId, analysisId);
  const found = await tx.delete(fingerprints).where(isOfIt).returning().get();
  if (found === undefined) return;
  const keys = eachNumber(tx, [...keysIn(tenantId, found.packed), ...found.facts]);
  const isKey = sql`${fingerprintKeys.key} IN (${keys})`;
  const isIts = and(isKey, eq(fingerprintKeys.fingerprint, found.id));
  await tx.delete(fingerprintKeys).where(isIts).run();
}

/**
 * Other pictures of the tenant that show the same thing, then those whose metadata contains the same document id,
 * generator settings or camera; within each kind, oldest first. Empty if the picture was examined while the search was
 * switched off.
 *
 * @throws {ForensicsError} `analysis_not_found`.
 */
export async function findSeenBefore(reader: Reader, target: Target) {
  await getRow(reader, target);
  const own = await readSearchKeys(reader, target);
  return own === null ? [] : search(reader, target, own);
}

/** Those that were sent before a picture created at `createdAt`, which is what its report may say. */
export function sentBefore(found: readonly SeenBefore[], createdAt: Date): readonly SeenBefore[] {
  return found.filter(({ createdDate }) => createdDate < createdAt.toISOString());
}

/** Null if the picture was examined while the search was switched off. */
export async function readSearchKeys(
  reader: Reader,
  { analysisId }: Pick<Target, 'analysisId'>,
): Promise<SearchKeys | null> {
  const isOfIt = eq(fingerprints.analysisId, analysisId);
  return (await reader.select().from(fingerprints).where(isOfIt).get()) ?? null;
}

/** @param target - excluded from the results; it need not be stored yet. */
export async function search(
  reader: Reader,
  target: Target,
  { packed, facts }: SearchKeys,
): Promise<readonly SeenBefore[]> {
  const fingerprint = unpackFingerprint(packed);
  const found = new Map<string, SeenBefore>();
  for (const { analysis, packed: others } of await findCandidates(reader, target, packed)) {
    const alignment = align(fingerprint, unpackFingerprint(others));
    if (alignment !== null) found.set(analysis.id, toEntry(analysis, alignment));
  }
  for (const { analysis, key } of await findByFacts(reader, target, facts)) {
    const entry = found.get(analysis.id) ?? toEntry(analysis, null);
    found.set(analysis.id, { ...entry, reasons: [...entry.reasons, kindOf(key)] });
  }
  const isIt = eq(analyses.id, target.analysisId);
  const own = await reader.select({ projectId }).from(analyses).where(isIt).get();
  return [...found.values()]
    .map(({ reasons, ...entry }) => {
      return { ...entry, reasons: seenReasons.filter((reason) => reasons.includes(reason)) };
    })
    .filter(
      // All the pictures in a case often come from one camera.
      ({ projectId, reasons }) =>
        projectId === null ||
        projectId !== own?.projectId ||
        reasons.some((reason) => reason !== 'camera'),
    )
    .toSorted((one, other) => one.createdDate.localeCompare(other.createdDate))
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .slice(0, maxListed);
}

function rankOf({ reasons: [strongest] }: SeenBefore): number {
  return seenReasons.indexOf(strongest!);
}

async function findCandidates(reader: Reader, target: Target, own: Uint8Array) {
  const keys = eachNumber(reader, keysIn(target.tenantId, own, { withLikely: true }));
  const sharing = sql`SELECT fingerprint, count(*) AS shared FROM fingerprint_keys
    WHERE key IN (${keys}) GROUP BY fingerprint ORDER BY shared DESC LIMIT ${maxCompared + 1}`;
  const isSharing = sql`${fingerprints.id} IN (SELECT fingerprint FROM (${sharing}) AS sharing)`;
  return reader
    .select({ analysis: shownOfOther, packed: fingerprints.packed })
    .from(fingerprints)
    .crossJoin(analyses)
    .where(and(isSharing, isOther(target)))
    .all();
}

async function findByFacts(reader: Reader, target: Target, facts: readonly number[]) {
  if (facts.length === 0) return [];
  const isFact = inArray(fingerprintKeys.key, [...facts]);
  const isItsKey = eq(fingerprints.id, fingerprintKeys.fingerprint);
  return reader
    .select({ analysis: shownOfOther, key: fingerprintKeys.key })
    .from(fingerprintKeys)
    .crossJoin(fingerprints)
    .crossJoin(analyses)
    .where(and(isFact, isItsKey, isOther(target)))
    .all();
}

/** For a cross join, which SQLite performs in the order written; an ordinary one would read all analyses first. */
function isOther({ tenantId, analysisId }: Target) {
  const isIts = eq(analyses.id, fingerprints.analysisId);
  return and(isIts, isAliveIn(tenantId), ne(analyses.id, analysisId));
}

const { id, name, projectId, createdAt } = analyses;
const shownOfOther = { id, name, projectId, createdAt };
type Other = Pick<typeof analyses.$inferSelect, keyof typeof shownOfOther>;

/** @param shown - how the other picture aligns with this one, if both show the same thing. */
function toEntry(other: Other, shown: Alignment | null): SeenBefore {
  return {
    id: other.id,
    name: other.name,
    projectId: other.projectId,
    createdDate: other.createdAt.toISOString(),
    reasons: shown === null ? [] : ['picture'],
    alignment: shown && toPlace(shown),
    likeness: shown?.share ?? null,
  };
}

function toPlace({ isMirrored, scale, left, top }: Alignment) {
  return { isMirrored, scale, left, top };
}

/** Keys of keypoints are smaller; each kind of fact has its own range. */
const firstFact = 2 ** 52;
const factsPerKind = 2 ** 48;

/** One key for each fact in the metadata that other files may share. Keys differ between tenants. */
export function factKeys(tenantId: string, metadata: Metadata): number[] {
  return readIdentity(metadata).map(({ kind, value }) => {
    const digest = createHash('sha256').update(`${tenantId}\n${kind}\n${value}`).digest();
    return firstFact + identityKinds.indexOf(kind) * factsPerKind + digest.readUIntBE(0, 6);
  });
}

function kindOf(key: number): (typeof identityKinds)[number] {
  return identityKinds[Math.floor((key - firstFact) / factsPerKind)]!;
}

/** The largest number of pictures in a case with the same camera serial number; 0 if no two have the same. */
export async function countOfOneCamera(
  reader: Reader,
  which: { readonly tenantId: string; readonly projectId: string },
): Promise<number> {
  const isInCase = and(isAliveIn(which.tenantId), eq(analyses.projectId, which.projectId));
  const found = await reader
    .select({ facts: fingerprints.facts })
    .from(fingerprints)
    .innerJoin(analyses, eq(analyses.id, fingerprints.analysisId))
    .where(isInCase)
    .all();
  const cameras = found.flatMap(({ facts }) => facts.filter((key) => kindOf(key) === 'camera'));
  const counts = [...Map.groupBy(cameras, (key) => key).values()].map(({ length }) => length);
  return Math.max(0, ...counts.filter((count) => count > 1));
}

/** One per keypoint, different for each tenant. @param withLikely - include keys that a copy is likely to have. */
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

// Values that files of the same origin share, so that an equal value in two files suggests a common origin.

const identityKinds = ['camera', 'document', 'settings'] as const;

const serialFields = ['BodySerialNumber', 'CameraSerialNumber', 'SerialNumber'] as const;
/** Ids that editing programs copy from file to file, or that name the original file. */
const documentFields = [
  'DocumentID',
  'OriginalDocumentID',
  'InstanceID',
  'DerivedFrom/documentID',
  'DerivedFrom/originalDocumentID',
  'DerivedFrom/instanceID',
] as const;
/** Fields in which generators record prompt and seed. */
const settingsFields = [
  'parameters',
  'prompt',
  'Dream',
  'sd-metadata',
  'invokeai_metadata',
  'Comment',
  'UserComment',
] as const;

/** Minimum lengths, because shorter texts are too likely to be equal by chance. */
const least = { serial: 5, document: 16, settings: 40 } as const;

function readIdentity(metadata: Metadata) {
  const { exif, xmp, pngText, cameraMake, cameraModel } = metadata;
  const serial = serialFields
    .map((field) => textOf(exif[field] ?? xmp[field]))
    .find((it) => it !== '');
  const isSerial = serial !== undefined && serial.length >= least.serial && /[1-9]/.test(serial);
  const documents = documentFields
    .map((field) => textOf(xmp[field]).toLowerCase())
    .filter((text) => text.length >= least.document);
  const settings = settingsFields
    .map((field) => textOf(pngText[field] ?? exif[field]))
    .filter((text) => text.length >= least.settings && /seed/i.test(text));
  return [
    ...(isSerial
      ? [{ kind: 'camera' as const, value: [cameraMake, cameraModel, serial].join('\n') }]
      : []),
    ...[...new Set(documents)].map((value) => ({ kind: 'document' as const, value })),
    ...[...new Set(settings)].map((value) => ({ kind: 'settings' as const, value })),
  ];
}

function textOf(value: Tags[string] | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
