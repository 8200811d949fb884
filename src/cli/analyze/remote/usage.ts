import { usageError } from '../../failure.ts';
import { tenantMeant } from '../../server/tenant.ts';
import type { AnalyzeOptions } from '../options.ts';

/** The options of a run that can be done on a server. */
export type RemoteOptions = AnalyzeOptions & { readonly tenant: string };

/** What a server decides for itself is refused, so that nobody relies on what will not come. */
export function remoteOptionsOf(options: AnalyzeOptions): RemoteOptions {
  const { trustList, validation, dataDir, maps, withMetadata, withoutOriginal } = options;
  const given = {
    '--trust-list': trustList !== undefined,
    '--validation': validation !== undefined,
    '--data-dir': dataDir !== undefined,
    '--maps': maps,
    '--with-metadata': withMetadata,
    '--without-original': withoutOriginal,
  };
  const refused = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [name] : []));
  if (refused.length > 0) {
    throw usageError(
      `${refused.join(', ')} acts on this machine only; leave it out with a server.`,
    );
  }
  if (!options.wait) refuseResults(options);
  return { ...options, tenant: tenantMeant(options) };
}

function refuseResults({ out, failOn, junit }: AnalyzeOptions): void {
  const given = [
    ...(out === null ? [] : ['--out']),
    ...(failOn.length === 0 ? [] : ['--fail-on']),
    ...(junit === undefined ? [] : ['--junit']),
  ];
  if (given.length === 0) return;
  throw usageError(`--no-wait leaves before there are results; leave out ${given.join(', ')}.`);
}
