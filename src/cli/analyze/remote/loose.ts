/** Analyses that are on the server and whose results nobody saw: told at the end, with the way to them. */

import type { ServerOptions } from '../../service-options.ts';
import { shellWord } from '../../shell-word.ts';
import { say } from '../../talk.ts';
import type { RemoteOptions } from './usage.ts';

export interface Loose {
  add(analysisId: string): void;
  tell(): void;
}

const mostTold = 10;

export function createLoose(options: RemoteOptions): Loose {
  const ids = new Set<string>();
  return {
    add: (id) => void ids.add(id),
    tell() {
      if (ids.size === 0) return;
      // Nobody wanted to wait: the ids are the result.
      if (!options.wait) return say(`Fetch each with: ${fetchCommand('ID', options)}`);
      const many = ids.size === 1 ? 'one analysis' : `${ids.size} analyses`;
      say(`Not shown: ${many} on the server. Run the same command again with --resume, or fetch:`);
      for (const id of [...ids].slice(0, mostTold)) say(`  ${fetchCommand(id, options)}`);
      if (ids.size > mostTold) say(`  and ${ids.size - mostTold} more`);
      return undefined;
    },
  };
}

/** What the environment names needs no flag. */
export function fetchCommand(
  analysisId: string,
  options: ServerOptions & { readonly tenant: string },
): string {
  const { tenant, url, profile, ca, fingerprint, apiKeyFile } = options;
  const flags = { tenant, url, profile, ca, fingerprint, 'api-key-file': apiKeyFile };
  const given = Object.entries(flags).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, shellWord(value)],
  );
  return ['forensics', 'report', analysisId, ...given, '--out', analysisId].join(' ');
}
