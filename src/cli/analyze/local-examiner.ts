/** Examines on this machine. It opens no network and no database. */

import { modelsFolder } from '../../app/models-folder.ts';
import { createSigningKeys } from '../../app/signing-keys.ts';
import { citedValidation } from '../../app/validations.ts';
import { readConfig } from '../../config.ts';
import { createRegistry } from '../../inference/registry.ts';
import { createLab } from '../../lab/create-lab.ts';
import { readTrustList } from '../../provenance/trust-list.ts';
import { examineInput } from './examine.ts';
import type { PrepareExaminer } from './examiner.ts';
import type { Sealing } from './local-bundle.ts';
import type { AnalyzeOptions } from './options.ts';
import { openResultsFolder } from './results-folder.ts';

export const prepareLocal: PrepareExaminer = async (options) => {
  const { trustList: c2paTrustList, validation: cited, dataDir } = options;
  const { settings } = readConfig({ flags: { c2paTrustList, validation: cited, dataDir } });
  const modelsDir = modelsFolder(settings);
  // Asked once here, a missing or damaged model is one line and not one for each picture.
  const registry = createRegistry({ extra: modelsDir });
  await registry.open(options.model);
  await registry.openLocator();
  const validation = await citedValidation(settings, registry, options.model);
  const trustList = readTrustList(settings.c2paTrustList);
  const results = options.out === null ? null : await openResultsFolder(options.out, options);
  const sealing = sealingFor(options, { dataDir: settings.dataDir, trustList });
  return (run) => {
    const lab = createLab({ modelsDir, poolSize: options.jobs, trustList });
    const bench = { ...run, lab, results, validation, sealing };
    return {
      examine: (input, folderName) => examineInput(bench, input, folderName),
      close: () => lab.close(),
    };
  };
};

const now = () => new Date();

/** Null where no bundle is written: then no key is made either. */
function sealingFor(
  { out, tier, withoutOriginal }: AnalyzeOptions,
  { dataDir, trustList }: { readonly dataDir: string; readonly trustList: string | null },
): Sealing | null {
  if (out === null || tier !== 'forensicReporting') return null;
  const signer = createSigningKeys({ dataDir, now }).signer();
  return { signer, trustList, now, withOriginal: !withoutOriginal };
}
