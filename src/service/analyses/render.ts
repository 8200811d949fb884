/**
 * Renders heatmaps and reports from a stored examination and puts them into the tenant's store. Objects are written
 * under unique keys before the transaction that makes them visible; if that transaction loses a race, they are deleted.
 */

import { auditBroken, conflict, evidenceDamaged, nullOn } from '../../contract/errors.ts';
import { hash, randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import { type Language, languages } from '../../contract/vocabulary.ts';
import { type Examination, isSameModel, type MapName } from '../../detectors/result.ts';
import type { Beside, ReportItem } from '../../present/report-item.ts';
import { type Context, readEvidence, type StoredAnalysis, loadRecorded } from './context.ts';
import { readHistory, readRecorded } from './custody.ts';
import type { Drawn } from './examination-row.ts';
import { discardObjects, reserveKeys } from './orphan-objects.ts';
import { getKeptRow, type Target } from './rows.ts';
import { factKeys, readSearchKeys, search, sentBefore } from './seen-before.ts';
import { verifyChain } from '../audit/log.ts';
import { withoutUndefined } from '../../contract/common.ts';
import type { BundleCase } from '../../evidence/bundle-format.ts';
import type { Sandbox } from '../../examiner/sandbox.ts';
import type { Db } from '../../ports/db/database.ts';
import type { Rendering } from '../../render/rendering.ts';

interface RenderJob extends StoredAnalysis {
  readonly bytes: Uint8Array;
  readonly isUploadReplaced: boolean;
  readonly examination: Examination;
  readonly examinedAt: Date;
  readonly signal?: AbortSignal;
}

/** @throws {ForensicsError} whatever the sandbox and the store throw; then nothing is left in the store. */
export async function renderInto(context: Context, job: RenderJob): Promise<Drawn> {
  const { row, bytes, examination, examinedAt, signal } = job;
  const rendering = await context.sandbox.render(
    {
      source: { bytes },
      examination,
      item: await withBeside(context, { ...job, item: await toReportItem(context, job) }),
      languages,
      // The contract requires the input's pixel dimensions, which the client may have measured before EXIF rotation.
      heatmapSize: { width: row.width, height: row.height },
    },
    signal === undefined ? {} : { signal },
  );
  const rendered = await storeRendering(context, job, rendering);
  return { examination: rendering.examination, examinedAt, rendered };
}

async function storeRendering(context: Context, job: RenderJob, { heatmaps, reports }: Rendering) {
  const folder = `analyses/${job.row.id}/${randomBytes(8).toString('hex')}`;
  const files: { key: string; body: Uint8Array; contentType: string }[] = [];
  const heatmap = (name: MapName) => {
    const key = `${folder}/heatmap-${name}.png`;
    files.push({ key, body: heatmaps[name], contentType: 'image/png' });
    return key;
  };
  const report = (language: Language) => {
    const { pdf: body, texts } = reports[language] ?? {};
    if (!body || !texts) throw new TypeError(`the sandbox rendered no report in ${language}`);
    const pdfKey = `${folder}/report-${language}.pdf`;
    files.push({ key: pdfKey, body, contentType: 'application/pdf' });
    return { pdfKey, texts };
  };
  const heatmapKeys = {
    real: heatmap('real'),
    fake: heatmap('fake'),
    compression: heatmap('compression'),
    anomaly: heatmap('anomaly'),
  };
  const rendered = { heatmapKeys, reports: { en: report('en'), de: report('de') } };
  await putAll(context, job, files);
  return {
    ...rendered,
    sha256: Object.fromEntries(
      files.map(({ key, body }) => [posix.basename(key), hash('sha256', body)]),
    ),
  };
}

async function putAll(
  context: Context,
  { row, store }: RenderJob,
  objects: readonly { key: string; body: Uint8Array; contentType: string }[],
) {
  const keys = objects.map(({ key }) => key);
  await reserveKeys(context, { place: row, keys });
  const puts = objects.map(({ key, body, contentType }) => store.put(key, body, { contentType }));
  const outcomes = await Promise.allSettled(puts);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed === undefined) return;
  await discardObjects(context, { store, keys });
  throw failed.reason;
}

/** The facts about an analysis that a report shows besides the examination. */
async function toReportItem(
  { db, validation }: Pick<Context, 'db' | 'validation'>,
  { row, examination, examinedAt, isUploadReplaced }: Omit<RenderJob, 'store' | 'bytes'>,
): Promise<ReportItem> {
  // Error rates apply to one model only, and another may have examined the picture.
  const isCited = validation !== null && isSameModel(validation.model, examination.model);
  const { fingerprint: packed, facts } = examination;
  const target = { tenantId: row.tenantId, analysisId: row.id };
  // A run that is not stored yet passes in its fingerprint.
  const searchKeys =
    packed === undefined
      ? await readSearchKeys(db, target)
      : { packed, facts: factKeys(row.tenantId, facts.metadata) };
  const found = searchKeys === null ? [] : await search(db, target, searchKeys);
  const seenBefore = sentBefore(found, row.createdAt);
  return {
    name: row.filename,
    analysisId: row.id,
    examinedAt,
    isUploadReplaced,
    ...((row.projectId !== null || row.caseData !== null) && {
      caseData: { ...(row.projectId !== null && { caseNumber: row.projectId }), ...row.caseData },
    }),
    ...(seenBefore.length > 0 && { seenBefore }),
    ...(await readHistory(db, row, { examination, examinedAt })),
    ...(isCited && { validation }),
  };
}

/** Maximum number of other pictures that a report shows. */
const maxBeside = 3;

/** Adds the other pictures that show the same thing, each beside this one. */
async function withBeside(
  parts: Pick<Context, 'db' | 'stores' | 'limits'> & {
    readonly sandbox: Pick<Context['sandbox'], 'layBeside'>;
  },
  { row, bytes, item }: Pick<RenderJob, 'row' | 'bytes'> & { readonly item: ReportItem },
): Promise<ReportItem> {
  const beside: Beside[] = [];
  for (const { id, alignment } of item.seenBefore ?? []) {
    if (alignment === null || beside.length === maxBeside) continue;
    // Null if its original is no longer stored.
    const other = await nullOn(['analysis_not_found', 'evidence_damaged'], async () => {
      const kept = await getKeptRow(parts.db, { tenantId: row.tenantId, analysisId: id });
      return readEvidence(parts, { row: kept, store: await parts.stores.of(kept) });
    });
    const one = { bytes };
    const laid =
      other && (await parts.sandbox.layBeside({ one, other: { bytes: other }, alignment }));
    const jpeg = laid && Buffer.from(laid.jpeg).toString('base64');
    beside.push({ id, jpeg, differing: laid?.differing ?? 0 });
  }
  return beside.length === 0 ? item : { ...item, beside };
}

// The contents of a bundle: the copy that was examined, the examination, and everything rendered again from these two.

export interface BundleInputParts extends Pick<Context, 'db' | 'stores' | 'limits' | 'validation'> {
  readonly sandbox: Pick<Sandbox, 'render' | 'layBeside'>;
  /** The service's trust list, in the form in which the sandbox knows it. */
  readonly trustList: string | null;
}

/** What the reports show besides the record: metadata, error level map, case data. */
export type ReportExtras = Partial<
  Pick<ReportItem, 'withMetadata' | 'withErrorLevel' | 'caseData'>
>;

/** How the reports are rendered; by default as PDF in every language. */
type Drawing = Pick<Parameters<Sandbox['render']>[0], 'withHtml'> & {
  readonly languages?: readonly Language[];
};

/**
 * @throws {ForensicsError} `analysis_not_found`; `conflict` for an analysis without a forensic report;
 *   `evidence_damaged` if the picture or result is not what was recorded, `audit_broken`, `store_unavailable`, and
 *   whatever the sandbox throws.
 */
export async function openBundleInput(
  parts: BundleInputParts,
  target: Target,
  { languages: wanted, withHtml, ...extras }: ReportExtras & Drawing,
): Promise<BundleCase> {
  await getKeptRow(parts.db, target);
  await requireUnbrokenLog(parts.db, target);
  const drawing = withoutUndefined({ languages: wanted, withHtml });
  return renderRecorded(parts, await openRecorded(parts, target, extras), drawing);
}

/** Opens the input if the log is already known to be intact. @throws as `openBundleInput`. */
export async function openRecorded(
  parts: Omit<BundleInputParts, 'sandbox'>,
  target: Target,
  { withMetadata = false, withErrorLevel = false, caseData }: ReportExtras,
) {
  const { db, stores } = parts;
  const row = await getKeptRow(db, target);
  const stored = await loadRecorded(db, target);
  if (row.status !== 'completed' || stored === null) {
    throw conflict(`The analysis is ${row.status}; only a completed analysis has a report.`);
  }
  if (row.tier !== 'forensicReporting') {
    throw conflict(
      'The analysis has the flagging tier, so it has no report; upgrade it first (POST /v1/analysis/retry with options.tier forensicReporting).',
    );
  }
  // Compares the copy with the hash in its row. If both were changed, the log reveals it.
  const { original: recorded } = await readRecorded(db, target);
  if (recorded !== null && recorded !== row.evidenceSha256) {
    throw evidenceDamaged(
      'The stored copy of the picture is not the one recorded in the audit log; restore the database and store from a backup, or create a new analysis.',
    );
  }
  const original = await readEvidence(parts, { row, store: await stores.of(row) });
  const isUploadReplaced = row.inputReplacedAt !== null;
  const item = await toReportItem(parts, { row, ...stored, isUploadReplaced });
  return {
    row,
    original,
    examination: stored.examination,
    item: {
      ...item,
      ...(withMetadata && { withMetadata }),
      ...(withErrorLevel && { withErrorLevel }),
      ...(caseData && { caseData: { ...item.caseData, ...caseData } }),
    } satisfies ReportItem,
  };
}

export async function renderRecorded(
  parts: BundleInputParts,
  { row, original, examination, item: recorded }: Awaited<ReturnType<typeof openRecorded>>,
  drawing: Drawing = {},
): Promise<BundleCase> {
  const { sandbox, limits, trustList } = parts;
  const item = await withBeside(parts, { row, bytes: original, item: recorded });
  const heatmapSize = { width: row.width, height: row.height };
  const source = { bytes: original };
  const request = { source, examination, item, languages, heatmapSize, ...drawing };
  const rendering = await sandbox.render(request);
  const shown = { item, heatmapSize, limits, trustList, rendering };
  return { original, openedAs: null, examination: rendering.examination, ...shown };
}

/** Never sign a chain of custody from a log that has been tampered with. */
export async function requireUnbrokenLog(db: Db, { tenantId }: Pick<Target, 'tenantId'>) {
  const { broken } = await verifyChain(db, tenantId, { isExpected: true });
  if (broken === null) return;
  throw auditBroken(
    `The tenant's audit log is broken, so it proves nothing. ${broken.explanation} Restore the database from a backup.`,
  );
}
