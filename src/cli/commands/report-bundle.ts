/** `forensics report` on this machine's data folder: signs and writes the bundle of an analysis, or the report or archive of a case. */

import { openBundleInput } from '../../service/analyses/bundle-input.ts';
import { type CaseParts, renderCase, writeCase } from '../../service/analyses/cases.ts';
import { type Core, keptTenantNamed } from '../../service/core.ts';
import { openBlobs } from '../../service/storage.ts';
import { operator } from '../../service/audit/entry.ts';
import type { Settings } from '../../contract/config.ts';
import { modelsFolder } from '../../ports/data-folder/data-folder.ts';
import { writeBundle } from '../../evidence/write-bundle.ts';
import { checkFree, writeWholeFile } from '../../ports/files/atomic-write.ts';
import { limitsForAccepted } from '../../image/picture.ts';
import { createRegistry } from '../../inference/registry.ts';
import { readTrustList } from '../../provenance/c2pa-reader.ts';
import { createSandbox, type Sandbox } from '../../examiner/sandbox.ts';
import { citedValidation } from '../../service/validation/saved-validations.ts';
import { readCaseData } from '../analyze/case-data.ts';
import type { CaseOptions } from '../analyze/options.ts';
import { type Language, languages } from '../../contract/vocabulary.ts';
import type { ServiceOptions } from '../options.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { now, raise, withLocalCore } from '../connection/local.ts';

export interface ReportOptions extends ServiceOptions, CaseOptions {
  readonly tenant: string;
  readonly out?: string;
  readonly lang: readonly Language[];
  readonly withoutOriginal: boolean;
  readonly withMetadata: boolean;
  readonly errorLevel: boolean;
  readonly html: boolean;
  readonly force: boolean;
}

export async function writeReport(
  analysisId: string,
  options: ReportOptions & { readonly out: string },
): Promise<void> {
  const { out, force, json, withoutOriginal } = options;
  await checkFree(out, { force });
  const { bundle, fingerprint, signedAt } = await withLocalCore(options, async (core, settings) => {
    const { id: tenantId } = await keptTenantNamed(core, options.tenant);
    const dossier = await openInput({ core, settings }, { tenantId, analysisId }, options);
    const signer = await core.signingKeys.signer();
    const how = { withOriginal: !withoutOriginal, signer, signedAt: now() };
    const made = writeBundle(dossier, how);
    // Logged before it is written, so that no signed bundle is missing from the log.
    await core.audit.note({
      chain: tenantId,
      actor: operator,
      event: 'analysis.bundled',
      subject: analysisId,
      details: { manifestSha256: made.manifestSha256 },
    });
    return { bundle: made, fingerprint: signer.fingerprint, signedAt: how.signedAt };
  });
  await writeWholeFile(out, bundle.bytes, { force });
  const { manifestSha256 } = bundle;
  if (json) return printJson({ file: out, analysisId, fingerprint, signedAt, manifestSha256 });
  log(`Signed with the key ${fingerprint}.`);
  print(out);
}

/** The kind of file to write for a case. */
export interface CaseFile {
  readonly projectId: string;
  readonly out: string;
  readonly kind: 'report' | 'bundle';
}

/** Nothing runs in parallel here, so no limit is needed. */
const inTurn = <T>(act: () => Promise<T>) => act();

export async function makeCase({ projectId, out, kind }: CaseFile, options: ReportOptions) {
  const { force, withoutOriginal, lang } = options;
  const extras = await readExtras(options);
  await withLocalCore(options, async (core, settings) => {
    const { id: tenantId } = await keptTenantNamed(core, options.tenant);
    const which = { tenantId, projectId };
    await withParts({ core, settings }, async (parts) => {
      if (kind === 'report') {
        const [language = 'en'] = lang;
        const how = { extras, inTurn, languages: [language], madeAt: now() };
        const pdf = (await renderCase(parts, which, how))[language];
        if (pdf === undefined)
          throw new TypeError('The report was requested in this language but was not produced.');
        return writeWholeFile(out, pdf, { force });
      }
      const signer = await core.signingKeys.signer();
      const by = { signer, signedAt: now(), actor: operator, audit: core.audit };
      const how = { extras, inTurn, languages, withOriginal: !withoutOriginal, ...by };
      await writeWholeFile(out, writeCase(parts, which, how), { force });
      log(`Signed with the key ${signer.fingerprint}.`);
    });
  });
}

/** Opens what is needed to write bundles and reports. */
export async function withParts<T>(
  { core, settings }: { readonly core: Core; readonly settings: Settings },
  act: (parts: CaseParts) => Promise<T>,
): Promise<T> {
  const limits = limitsForAccepted(settings);
  const { stores } = openBlobs({ settings, core, now, onError: raise });
  const registry = createRegistry({ extra: modelsFolder(settings) });
  const validation = await citedValidation(settings, registry);
  const trustList = settings.c2paTrustList && readTrustList(settings.c2paTrustList);
  const sandbox = createSandbox({ poolSize: 1, limits });
  try {
    return await act({ db: core.database.db, stores, limits, validation, trustList, sandbox });
  } finally {
    await sandbox.close();
  }
}

async function openInput(
  opened: Parameters<typeof withParts>[0],
  target: Parameters<typeof openBundleInput>[1],
  options: ReportOptions,
) {
  const extras = await readExtras(options);
  return withParts(opened, ({ sandbox, ...parts }) => {
    const drawing: Pick<Sandbox, 'render' | 'layBeside'> = {
      ...sandbox,
      render: (request, running) => sandbox.render({ ...request, withHtml: options.html }, running),
    };
    return openBundleInput({ ...parts, sandbox: drawing }, target, extras);
  });
}

export async function readExtras(options: ReportOptions) {
  const { withMetadata, errorLevel: withErrorLevel } = options;
  return { withMetadata, withErrorLevel, ...(await readCaseData(options)) };
}
