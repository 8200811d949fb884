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

// What the processes of the proof say on standard output: one line of JSON.

export const steps = ['start', 'analysis', 'report'] as const;
export type Step = (typeof steps)[number];

export interface TrialTold {
  readonly done: readonly Step[];
  /** Why it did not come further; null when it did. */
  readonly failure: string | null;
  readonly noRoutes: number | null;
}

export interface ControlTold {
  /** Attempts that were made. */
  readonly attempts: number;
  readonly noRoutes: number | null;
}

/**
 * Packets that the kernel could not send because no way leads there, by this network namespace since it was made: native code
 * is counted like any other. Null where the system keeps no such count.
 *
 * @see Linux, Documentation/networking/snmp_counter.rst: IpOutNoRoutes; RFC 2465 for the one of IPv6.
 */
export function countNoRoutes(): number | null {
  const ip4 = textOf('/proc/net/snmp');
  if (ip4 === null) return null;
  const [names = [], values = []] = ip4
    .split('\n')
    .filter((line) => line.startsWith('Ip: '))
    .map((line) => line.split(' '));
  const ofIp4 = Number(values[names.indexOf('OutNoRoutes')] ?? 0);
  const ofIp6 = /^Ip6OutNoRoutes\s+(\d+)$/m.exec(textOf('/proc/net/snmp6') ?? '')?.[1] ?? 0;
  return ofIp4 + Number(ofIp6);
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not Linux, or IPv6 is switched off.
    return null;
  }
}
