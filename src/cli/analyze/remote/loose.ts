/** Analyses that are on the server and whose results nobody saw: told at the end, with the way to them. */

import { say } from '../../local-core.ts';
import type { ServerOptions } from '../../service-options.ts';
import { shellWord } from '../../shell-word.ts';
import type { RemoteOptions } from './usage.ts';

export interface Loose {
  add(analysisId: string): void;
  tell(): void;
}

const mostTold = 10;

export function createLoose(options: RemoteOptions): Loose {
  const ids: string[] = [];
  return {
    add: (id) => void ids.push(id),
    tell() {
      if (ids.length === 0) return;
      // Nobody wanted to wait: the ids are the result.
      if (!options.wait) return say(`Fetch each with: ${fetchCommand('ID', options)}`);
      const many = `${ids.length} analyses are on the server, untold`;
      const told = ids.length === 1 ? 'One analysis is on the server, untold' : many;
      say(`${told}. Run the same command again with --resume, or fetch one with:`);
      for (const id of ids.slice(0, mostTold)) say(`  ${fetchCommand(id, options)}`);
      if (ids.length > mostTold) say(`  and ${ids.length - mostTold} more`);
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
