import { refuseOptions } from '../../refuse-options.ts';
import { tenantMeant } from '../../server/tenant.ts';
import type { AnalyzeOptions } from '../options.ts';

/** The options of a run that can be done on a server. */
export type RemoteOptions = AnalyzeOptions & { readonly tenant: string };

/** @throws {ForensicsError} `usage` for what a server decides itself, and for results that are not waited for. */
export function remoteOptionsOf(options: AnalyzeOptions): RemoteOptions {
  const { trustList, validation, maps, withMetadata, withoutOriginal } = options;
  refuseOptions(
    {
      '--trust-list': trustList !== undefined,
      '--validation': validation !== undefined,
      '--maps': maps,
      '--with-metadata': withMetadata,
      '--without-original': withoutOriginal,
    },
    'acts on this machine only; leave it out with a server.',
  );
  const { wait, out, failOn, junit } = options;
  if (!wait) {
    refuseOptions(
      { '--out': out !== null, '--fail-on': failOn.length > 0, '--junit': junit !== undefined },
      'needs results, and --no-wait leaves before there are any; leave one out.',
    );
  }
  return { ...options, tenant: tenantMeant(options) };
}
