/** Custody, signed bundles and their verification, for those who ask through the interface. */

import { actorOf } from './access/principal.ts';
import type { Caller } from './analyses/context.ts';
import { createSemaphore } from './analyses/bounds.ts';
import { readNamedCustody } from './analyses/custody.ts';
import { openBundleInput } from './analyses/evidence-bundle.ts';
import { getRow } from './analyses/rows.ts';
import type { CustodyStep, Verification } from '../contract/verification.ts';
import type { Language } from '../contract/vocabulary.ts';
import { verifyBundle } from '../evidence/verify.ts';
import { writeBundle } from '../evidence/write-bundle.ts';
import type { Core } from './core.ts';

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
          actor: actorOf(principal),
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
