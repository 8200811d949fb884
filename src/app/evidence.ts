/** Custody, signed bundles and their verification, for those who ask through the interface. */

import { actorOf } from '../access/principal.ts';
import type { Caller } from '../analyses/analyses.ts';
import { createSemaphore } from '../analyses/bounds.ts';
import { readCustody } from '../analyses/custody.ts';
import { openBundleInput } from '../analyses/evidence-bundle.ts';
import { getRow } from '../analyses/rows.ts';
import type { CustodyStep, Verification } from '../contract/verification.ts';
import { verifyBundle } from '../evidence/verify.ts';
import { writeBundle } from '../evidence/write-bundle.ts';
import { createSigningKeys } from '../secrets/signing-keys.ts';
import type { Core } from './core.ts';

export interface EvidenceService {
  /** Oldest first. @throws {ForensicsError} `analysis_not_found`. */
  custody(caller: Caller, id: string): Promise<readonly CustodyStep[]>;
  /** The signed archive; the log records it before anybody has it. @throws {ForensicsError} as `openBundleInput`. */
  bundle(caller: Caller, id: string): Promise<Uint8Array>;
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
  const signingKeys = createSigningKeys({ dataDir: core.folder.path, now });
  return {
    async custody({ tenant }, analysisId) {
      const target = { tenantId: tenant.id, analysisId };
      await getRow(input.db, target);
      return (await readCustody(input.db, target)).map((step) => ({
        ...step,
        at: step.at.toISOString(),
      }));
    },
    bundle: ({ tenant, principal }, analysisId) =>
      semaphore(tenant.id, async () => {
        const target = { tenantId: tenant.id, analysisId };
        await getRow(input.db, target);
        const opened = await openBundleInput(input, target, { withMetadata: false });
        const how = { withOriginal: true, signer: signingKeys.signer(), signedAt: now() };
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
    verify: ({ tenant }, bytes) =>
      semaphore(tenant.id, async () => {
        const { key, manifest, ...found } = await verifyBundle(bytes);
        const isOwn = signingKeys.list().some((own) => own.fingerprint === key?.fingerprint);
        return {
          ...found,
          key: key === null ? null : { fingerprint: key.fingerprint, isOwn },
          manifest,
        };
      }),
  };
}
