/** Analyses that are on the server and whose results were not fetched: told at the end, with the way to them. */

import { say } from '../../local-core.ts';
import type { ServerOptions } from '../../service-options.ts';
import { shellWord } from '../../shell-word.ts';

export interface Loose {
  add(analysisId: string): void;
  tell(): void;
}

const mostTold = 10;

export function createLoose(options: ServerOptions & { readonly tenant: string }): Loose {
  const ids: string[] = [];
  return {
    add: (id) => void ids.push(id),
    tell() {
      if (ids.length === 0) return;
      const isOne = ids.length === 1;
      say(
        `${isOne ? 'One analysis is' : `${ids.length} analyses are`} on the server and ${isOne ? 'was' : 'were'} not fetched. Run the same command again with --resume, or fetch ${isOne ? 'it' : 'each'}:`,
      );
      for (const id of ids.slice(0, mostTold)) say(`  ${fetchCommand(id, options)}`);
      if (ids.length > mostTold) say(`  and ${ids.length - mostTold} more`);
    },
  };
}

/** What the environment names needs no flag. */
export function fetchCommand(
  analysisId: string,
  options: ServerOptions & { readonly tenant: string },
): string {
  const { tenant, url, profile, ca, fingerprint, apiKeyFile } = options;
  const flags = {
    tenant,
    url,
    profile,
    ca,
    fingerprint,
    'api-key-file': apiKeyFile,
  };
  const given = Object.entries(flags).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, shellWord(value)],
  );
  return ['forensics', 'report', analysisId, ...given, '--out', analysisId].join(' ');
}
