/** `forensics report` on this machine's data folder: signs and writes the bundle of an analysis, or the report or archive of a case. */

import { makeBundle } from '../../service/analyses/bundles.ts';
import { type CaseParts, renderCase, writeCase } from '../../service/analyses/cases.ts';
import { type Core, keptTenantNamed } from '../../service/core.ts';
import { openBlobs } from '../../service/storage.ts';
import { operator } from '../../service/audit/entry.ts';
import { modelsFolder } from '../../ports/data-folder/data-folder.ts';
import { checkFree, writeWholeFile } from '../../ports/files/files.ts';
import { limitsForAccepted } from '../../image/picture.ts';
import { createRegistry } from '../../inference/registry.ts';
import { readTrustList } from '../../provenance/c2pa-reader.ts';
import { createSandbox } from '../../examiner/sandbox.ts';
import { citedValidation } from '../../service/validation/saved-validations.ts';
import { readCaseData } from '../analyze/local.ts';
import type { Language } from '../../contract/vocabulary.ts';
import type { CaseOptions, ServiceOptions, SwitchOptions } from '../options.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { now, raise, withLocalCore } from '../connection/local.ts';

type ReportSwitches = 'withoutOriginal' | 'withMetadata' | 'errorLevel' | 'html' | 'force';

export interface ReportOptions extends ServiceOptions, CaseOptions, SwitchOptions<ReportSwitches> {
  readonly tenant: string;
  readonly out?: string;
  readonly lang: readonly Language[];
}

export async function writeReport(
  analysisId: string,
  options: ReportOptions & { readonly out: string },
): Promise<void> {
  const { out, force, json, withoutOriginal, html: withHtml } = options;
  await checkFree(out, { force });
  const extras = { ...(await readExtras(options)), withHtml };
  const { bytes, ...made } = await withParts(options, async (input, core, tenantId) => {
    const how = { actor: operator, withOriginal: !withoutOriginal, extras };
    return makeBundle({ core, input, now }, { tenantId, analysisId }, how);
  });
  await writeWholeFile(out, bytes, { force });
  if (json) return printJson({ file: out, analysisId, ...made });
  log(`Signed with the key ${made.fingerprint}.`);
  print(out);
}

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
  await withParts(options, async (parts, core, tenantId) => {
    const which = { tenantId, projectId };
    if (kind === 'report') {
      const [language = 'en'] = lang;
      const how = { extras, inTurn, language, madeAt: now() };
      return writeWholeFile(out, await renderCase(parts, which, how), { force });
    }
    const signer = await core.signingKeys.signer();
    const by = { signer, signedAt: now(), actor: operator, audit: core.audit };
    const how = { extras, inTurn, withOriginal: !withoutOriginal, ...by };
    await writeWholeFile(out, writeCase(parts, which, how), { force });
    log(`Signed with the key ${signer.fingerprint}.`);
  });
}

async function withParts<T>(
  options: ReportOptions,
  act: (parts: CaseParts, core: Core, tenantId: string) => Promise<T>,
): Promise<T> {
  return withLocalCore(options, async (core, settings) => {
    const { id: tenantId } = await keptTenantNamed(core, options.tenant);
    const limits = limitsForAccepted(settings);
    const { stores } = openBlobs({ settings, core, now, onError: raise });
    const registry = createRegistry({ extra: modelsFolder(settings) });
    const validation = await citedValidation(settings, registry);
    const trustList = settings.c2paTrustList && readTrustList(settings.c2paTrustList);
    const sandbox = createSandbox({ poolSize: 1, limits });
    const { db } = core.database;
    try {
      return await act({ db, stores, limits, validation, trustList, sandbox }, core, tenantId);
    } finally {
      await sandbox.close();
    }
  });
}

async function readExtras(options: ReportOptions) {
  const { withMetadata, errorLevel: withErrorLevel } = options;
  return { withMetadata, withErrorLevel, ...(await readCaseData(options)) };
}
