/**
 * `forensics report --case` on this machine's data folder: writes the report of a case, or the signed archive of its
 * bundles.
 */

import { renderCase, writeCase } from '../../service/analyses/cases.ts';
import { operator } from '../../service/audit/entry.ts';
import { keptTenantNamed } from '../../service/core.ts';
import { languages } from '../../contract/vocabulary.ts';
import { writeWholeFile } from '../../ports/files/output-file.ts';
import { now, withLocalCore } from '../connection/local.ts';
import { log } from '../output/terminal.ts';
import { readExtras, type ReportOptions, withParts } from './report-bundle.ts';

/** The kind of file to make of a case. */
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
        if (pdf === undefined) throw new TypeError('The report was requested in this language.');
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
