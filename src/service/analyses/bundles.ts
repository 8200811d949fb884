/**
 * Custody, signed bundles and their verification. A bundle is made of the copy that was examined, the examination, and
 * everything rendered again from the two: the heatmaps and reports in the store have upload URLs in clients' hands.
 */

import { toActor } from '../access/principal.ts';
import { verifyChain } from '../audit/verify.ts';
import type { CustodyStep, Verification } from '../../contract/verification.ts';
import { type Language, languages } from '../../contract/vocabulary.ts';
import { ForensicsError } from '../../errors.ts';
import type { BundleCase } from '../../evidence/bundle-format.ts';
import { verifyBundle } from '../../evidence/verify.ts';
import { writeBundle } from '../../evidence/write-bundle.ts';
import type { Sandbox } from '../../examiner/sandbox.ts';
import type { Db } from '../../ports/db/database.ts';
import type { ReportItem } from '../../present/report-item.ts';
import type { Core } from '../core.ts';
import { type Caller, type Context, createSemaphore } from './context.ts';
import { readNamedCustody } from './custody.ts';
import { loadRecorded, readEvidence, readRecorded } from './evidence.ts';
import { toReportItem } from './render.ts';
import { type AnalysisRow, getKeptRow, getRow, type Target } from './rows.ts';

export interface EvidenceService {
  /** Oldest first. @throws {ForensicsError} `analysis_not_found`. */
  custody(caller: Caller, id: string): Promise<readonly CustodyStep[]>;
  /** The signed archive; the log records it before anybody has it. @throws {ForensicsError} as `openBundleInput`. */
  bundle(caller: Caller, id: string): Promise<Uint8Array>;
  /** One file that needs no network. @throws {ForensicsError} as `openBundleInput`. */
  htmlReport(caller: Caller, id: string, language: Language): Promise<string>;
  /** Stores nothing. @throws {ForensicsError} `bundle_unreadable` for what never was a bundle. */
  verify(caller: Pick<Caller, 'tenant'>, bytes: Uint8Array): Promise<Verification>;
}

interface EvidenceParts {
  readonly core: Core;
  readonly input: Parameters<typeof openBundleInput>[0];
  readonly now: () => Date;
}

// A bundle holds the picture, its maps and the archive in memory at once.
const bundlesAtOnce = 2;

export function createEvidence({ core, input, now }: EvidenceParts): EvidenceService {
  const semaphore = createSemaphore(bundlesAtOnce);
  const { signingKeys } = core;
  return {
    async custody({ tenant }, analysisId) {
      const target = { tenantId: tenant.id, analysisId };
      await getRow(input.db, target);
      return (await readNamedCustody(input.db, target)).map((step) => ({
        ...step,
        at: step.at.toISOString(),
      }));
    },
    bundle: ({ tenant, principal }, analysisId) =>
      semaphore(tenant.id, async () => {
        const target = { tenantId: tenant.id, analysisId };
        await getRow(input.db, target);
        const opened = await openBundleInput(input, target, { withMetadata: false });
        const how = { withOriginal: true, signer: await signingKeys.signer(), signedAt: now() };
        const { bytes, manifestSha256 } = writeBundle(opened, how);
        await core.audit.note({
          chain: tenant.id,
          actor: toActor(principal),
          event: 'analysis.bundled',
          subject: analysisId,
          details: { manifestSha256 },
        });
        return bytes;
      }),
    htmlReport: ({ tenant }, analysisId, language) =>
      semaphore(tenant.id, async () => {
        const target = { tenantId: tenant.id, analysisId };
        await getRow(input.db, target);
        const sandbox: typeof input.sandbox = {
          render: (request, running) =>
            input.sandbox.render({ ...request, languages: [language], withHtml: true }, running),
        };
        const opened = await openBundleInput({ ...input, sandbox }, target, {});
        const html = opened.rendering.reports[language]?.html;
        if (html === undefined) throw new TypeError('The report was asked for in this language.');
        return html;
      }),
    verify: ({ tenant }, bytes) =>
      semaphore(tenant.id, async () => {
        const { key, manifest, ...found } = await verifyBundle(bytes);
        const isOwn = (await signingKeys.list()).some(
          (own) => own.fingerprint === key?.fingerprint,
        );
        return {
          ...found,
          key: key === null ? null : { fingerprint: key.fingerprint, isOwn },
          manifest,
        };
      }),
  };
}

interface BundleInputParts extends Pick<Context, 'db' | 'stores' | 'limits' | 'validation'> {
  readonly sandbox: Pick<Sandbox, 'render'>;
  /** Those of the service, as its sandbox knows them. */
  readonly trustList: string | null;
}

/**
 * @param how - what the reports print beside the record: metadata, error level, data of the case.
 * @throws {ForensicsError} `analysis_not_found`; `conflict` for an analysis without a forensic report; `evidence_damaged`
 * when picture or result are not what was recorded, `audit_broken`, `store_unavailable`, and what the sandbox throws.
 */
export async function openBundleInput(
  parts: BundleInputParts,
  target: Target,
  how: Partial<Pick<ReportItem, 'withMetadata' | 'withErrorLevel' | 'caseData'>>,
): Promise<BundleCase> {
  const { db, stores, limits, sandbox, trustList } = parts;
  const row = await getKeptRow(db, target);
  await requireUnbrokenLog(db, target);
  const stored = await loadRecorded(db, target);
  if (row.status !== 'completed' || stored === null) {
    const message = `The analysis is ${row.status}; only a completed analysis has a bundle.`;
    throw new ForensicsError('conflict', message);
  }
  if (row.tier !== 'forensicReporting') {
    throw new ForensicsError(
      'conflict',
      'The analysis has the tier flagging and no report; upgrade it first (POST /v1/analysis/retry with options.tier forensicReporting).',
    );
  }
  await requireRecordedOriginal(db, { target, row });
  const original = await readEvidence(parts, { row, store: await stores.of(row) });
  const isUploadReplaced = row.inputReplacedAt !== null;
  const told = await toReportItem(parts, { row, ...stored, isUploadReplaced });
  const { withMetadata = false, withErrorLevel = false, caseData } = how;
  const item = {
    ...told,
    ...(withMetadata && { withMetadata }),
    ...(withErrorLevel && { withErrorLevel }),
    ...(caseData && { caseData: { ...told.caseData, ...caseData } }),
  };
  const heatmapSize = { width: row.width, height: row.height };
  const rendering = await sandbox.render({
    source: { bytes: original },
    examination: stored.examination,
    item,
    languages,
    heatmapSize,
  });
  const { examination } = rendering;
  return { original, openedAs: null, examination, item, heatmapSize, limits, trustList, rendering };
}

/** A chain of custody out of a log that was tampered with must not be signed. */
async function requireUnbrokenLog(db: Db, { tenantId }: Target): Promise<void> {
  const { broken } = await verifyChain(db, tenantId, { isExpected: true });
  if (broken === null) return;
  throw new ForensicsError(
    'audit_broken',
    `The audit log of the tenant is broken, so nothing in it can be vouched for. ${broken.explanation} Restore the database from a backup.`,
  );
}

/** The copy is compared with the hash in its row; the log reveals a change of both. */
async function requireRecordedOriginal(
  db: Db,
  { target, row }: { readonly target: Target; readonly row: AnalysisRow },
): Promise<void> {
  const recorded = (await readRecorded(db, target)).hashes['original'] ?? null;
  if (recorded === null || recorded === row.evidenceSha256) return;
  throw new ForensicsError(
    'evidence_damaged',
    'The stored copy of the picture is not the one that the audit log recorded; restore database and store from a backup, or create a new analysis.',
  );
}
