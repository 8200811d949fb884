/**
 * The contents of a bundle: the copy that was examined, the examination, and everything rendered again from these two.
 * The heatmaps and reports in the store are not used, because clients hold upload URLs for them.
 */

import { verifyChain } from '../audit/log.ts';
import { withoutUndefined } from '../../contract/common.ts';
import { type Language, languages } from '../../contract/vocabulary.ts';
import { ForensicsError, conflict } from '../../errors.ts';
import type { BundleCase } from '../../evidence/bundle-format.ts';
import type { Sandbox } from '../../examiner/sandbox.ts';
import type { Db } from '../../ports/db/database.ts';
import type { ReportItem } from '../../present/report-item.ts';
import type { Context } from './context.ts';
import { loadRecorded, readEvidence, readRecorded } from './evidence.ts';
import { toReportItem, withBeside } from './render.ts';
import { getKeptRow, type Target } from './rows.ts';

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
    throw conflict(`The analysis is ${row.status}; only a completed analysis has a bundle.`);
  }
  if (row.tier !== 'forensicReporting') {
    throw conflict(
      'The analysis has the flagging tier, so it has no report; upgrade it first (POST /v1/analysis/retry with options.tier forensicReporting).',
    );
  }
  // Compares the copy with the hash in its row. If both were changed, the log reveals it.
  const recorded = (await readRecorded(db, target)).hashes['original'] ?? null;
  if (recorded !== null && recorded !== row.evidenceSha256) {
    throw new ForensicsError(
      'evidence_damaged',
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
  throw new ForensicsError(
    'audit_broken',
    `The tenant's audit log is broken, so it proves nothing. ${broken.explanation} Restore the database from a backup.`,
  );
}
