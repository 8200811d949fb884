/** What watched processes write down: that they are watched, and what they tried. */

import { readFileSync } from 'node:fs';

/** Names the file; a line of JSON each. */
export const logVariable = 'FORENSICS_AIRGAP_LOG';

export const acts = ['watched', 'connect', 'send', 'look up', 'start a program'] as const;
export type Act = (typeof acts)[number];

export interface Attempt {
  readonly act: Act;
  /** Host and port, a name, a program; for `watched` the module that runs. */
  readonly target: string;
}

export function readAttempts(log: string): readonly Attempt[] {
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean);
  return lines.map((line): Attempt => JSON.parse(line));
}

/** Names and addresses that lead nowhere else (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3). */
export function isOfThisMachine(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  return /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/.test(bare);
}
