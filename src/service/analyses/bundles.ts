/** Custody, signed bundles and reports of single pictures and of cases, and the verification of bundles. */

import type { FileHandle } from 'node:fs/promises';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { toActor } from '../access/principal.ts';
import type { CustodyStep, Verification } from '../../contract/verification.ts';
import type { Language } from '../../contract/vocabulary.ts';
import { ForensicsError } from '../../contract/errors.ts';
import type { ThreadAnswer } from '../../evidence/verify-thread.ts';
import { writeBundle } from '../../evidence/write-bundle.ts';
import { requireFreeSpace, spool } from '../../ports/files/files.ts';
import { answerOf } from '../../threads.ts';
import type { Core } from '../core.ts';
import { openBundleInput } from './render.ts';
import { type BundleCaseHow, type CaseParts, renderCase, writeCase } from './cases.ts';
import { type Caller, createSemaphore } from './context.ts';
import { readNamedCustody } from './custody.ts';
import { getRow, type Target } from './rows.ts';

interface EvidenceParts {
  readonly core: Core;
  readonly input: CaseParts;
  readonly now: () => Date;
}

export interface ReportHow {
  readonly language: Language;
  readonly format: 'html' | 'pdf';
}

// Each bundle holds the picture, its maps and the archive in memory at the same time.
const bundlesAtOnce = 2;
/** The largest bundle takes 200 MB. */
const verificationsAtOnce = 1;

export function createEvidence({ core, input, now }: EvidenceParts) {
  const semaphore = createSemaphore(bundlesAtOnce);
  const verifying = createSemaphore(verificationsAtOnce);
  const { signingKeys } = core;
  const inTurn =
    ({ id }: Caller['tenant']) =>
    <T>(act: () => Promise<T>) =>
      semaphore(id, act);
  return {
    /** Returns the steps oldest first. @throws {ForensicsError} `analysis_not_found`. */
    async custody(caller: Caller, analysisId: string): Promise<readonly CustodyStep[]> {
      const target = await findTarget(input, caller, analysisId);
      const steps = await readNamedCustody(input.db, target);
      return steps.map((step) => ({ ...step, at: step.at.toISOString() }));
    },
    /** Logged before it is handed over, as a file that the caller closes. @throws as `openBundleInput`, `spool`. */
    bundle: (caller: Caller, analysisId: string) =>
      semaphore(caller.tenant.id, async () => {
        const target = await findTarget(input, caller, analysisId);
        const how = { actor: toActor(caller.principal), withOriginal: true, extras: {} };
        const { bytes } = await makeBundle({ core, input, now }, target, how);
        return { file: await spool([bytes], core.folder.path), sizeBytes: bytes.length };
      }),
    /** The report as a single self-contained file. @throws {ForensicsError} as `openBundleInput`. */
    report: (caller: Caller, analysisId: string, how: ReportHow) =>
      semaphore(caller.tenant.id, () => makeReport(input, caller, analysisId, how)),
    /** A PDF report on all pictures of a case. @throws {ForensicsError} as `renderCase`. */
    caseReport: async ({ tenant }: Caller, projectId: string, language: Language) =>
      renderCase(
        input,
        { tenantId: tenant.id, projectId },
        { language, extras: {}, madeAt: now(), inTurn: inTurn(tenant) },
      ),
    /** The signed archive of a case, in chunks; logged before the last one is sent. @throws as `writeCase`. */
    async *caseBundle({ tenant, principal }: Caller, projectId: string) {
      const which = { tenantId: tenant.id, projectId };
      yield* writeCase(input, which, {
        extras: {},
        withOriginal: true,
        signer: await signingKeys.signer(),
        signedAt: now(),
        actor: toActor(principal),
        audit: core.audit,
        inTurn: inTurn(tenant),
      });
    },
    /** Receives a bundle of at most `maxBytes` for `verify`. @throws as `spool`. */
    receive: async (stream: AsyncIterable<Uint8Array>, maxBytes: number) => {
      await requireFreeSpace(core.folder.path, maxBytes);
      return spool(stream, core.folder.path);
    },
    /** Verifies a bundle and keeps nothing. @throws {ForensicsError} `bundle_unreadable` for anything that is not a bundle. */
    verify: ({ tenant }: Pick<Caller, 'tenant'>, file: FileHandle): Promise<Verification> =>
      verifying(tenant.id, () => verifyUpload(signingKeys, file)),
  };
}

/** The largest bundle that the server accepts takes a few seconds. */
const verifyTimeoutMs = 60_000;
const takesTooMuch =
  'Verifying this bundle takes too much time or memory for a server; use "forensics verify" on your own machine.';
/** Only of the JavaScript heap; the limits on a bundle bound the other memory. The largest bundle needs a quarter. */
const resourceLimits = { maxOldGenerationSizeMb: 256 };

async function verifyUpload(signingKeys: Core['signingKeys'], file: FileHandle) {
  const thread = new URL(
    `../../evidence/verify-thread${extname(import.meta.url)}`,
    import.meta.url,
  );
  const worker = new Worker(thread, { workerData: file.fd, resourceLimits });
  const answer = await answerOf<ThreadAnswer>(worker, verifyTimeoutMs);
  if (answer === null || 'unreadable' in answer) {
    throw new ForensicsError('bundle_unreadable', answer?.unreadable ?? takesTooMuch);
  }
  const { key: signer, ...found } = answer.verification;
  if (signer === null) return { ...found, key: null };
  const { fingerprint } = signer;
  const isOwn = (await signingKeys.list()).some((own) => own.fingerprint === fingerprint);
  return { ...found, key: { fingerprint, isOwn } };
}

/** @throws {ForensicsError} `analysis_not_found`. */
async function findTarget({ db }: CaseParts, { tenant }: Caller, analysisId: string) {
  const target = { tenantId: tenant.id, analysisId };
  await getRow(db, target);
  return target;
}

/** Creates the signed archive, which is logged before anybody gets it. @throws {ForensicsError} as `openBundleInput`. */
export async function makeBundle(
  { core, input, now }: EvidenceParts,
  target: Target,
  { actor, withOriginal, extras }: Pick<BundleCaseHow, 'actor' | 'withOriginal' | 'extras'>,
) {
  const opened = await openBundleInput(input, target, extras);
  const signer = await core.signingKeys.signer();
  const signedAt = now();
  const { bytes, manifestSha256 } = writeBundle(opened, { withOriginal, signer, signedAt });
  const note = { event: 'analysis.bundled', subject: target.analysisId } as const;
  await core.audit.note({ chain: target.tenantId, actor, ...note, details: { manifestSha256 } });
  return { bytes, fingerprint: signer.fingerprint, signedAt, manifestSha256 };
}

async function makeReport(
  input: CaseParts,
  caller: Caller,
  analysisId: string,
  { language, format }: ReportHow,
): Promise<string | Buffer> {
  const target = await findTarget(input, caller, analysisId);
  const withHtml = format === 'html';
  const opened = await openBundleInput(input, target, { languages: [language], withHtml });
  const { html, pdf } = opened.rendering.reports[language] ?? {};
  const made = withHtml ? html : pdf && Buffer.from(pdf);
  if (made === undefined)
    throw new TypeError('The report was requested in this language but was not produced.');
  return made;
}
