import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refuseOptions } from '../../options.ts';
import { tenantMeant } from '../../target/endpoint.ts';
import type { AnalyzeOptions } from '../options.ts';
import { openResultsFolder, type ResultsFolder } from '../results-folder.ts';

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
  const { wait, out, failOn } = options;
  if (!wait) {
    refuseOptions(
      { '--out': out !== null, '--fail-on': failOn.length > 0 },
      'needs results, and --no-wait leaves before there are any; leave one out.',
    );
  }
  return { ...options, tenant: tenantMeant(options) };
}

/**
 * Where the results of a picture go. A run that goes on may write anew what it had written of the same picture.
 *
 * @throws {ForensicsError} `conflict` when something else is there and may not be replaced.
 */
export type PlaceFor = (name: string, sha256: string) => Promise<ResultsFolder>;

/** Null when nothing is to be written. @throws {ForensicsError} `output_not_writable`, `no_space_left`. */
export async function openPlaces({ out, force, resume }: RemoteOptions): Promise<PlaceFor | null> {
  if (out === null) return null;
  const asAsked = await openResultsFolder(out, { force });
  const replacing = await openResultsFolder(out, { force: true });
  return async (name, sha256) => {
    const isOwn = resume && (await sha256In(join(out, name, 'result.json'))) === sha256;
    const folder = isOwn ? replacing : asAsked;
    await folder.check(name);
    return folder;
  };
}

/** Null where no result is that says so. */
async function sha256In(file: string): Promise<unknown> {
  try {
    return Object(JSON.parse(await readFile(file, 'utf8')))['sha256'];
  } catch {
    // Whatever lies there is not ours to replace.
    return null;
  }
}
