/** `forensics audit verify`: every log, one, or a file that somebody was given. */

import { type Verification, verifyLines } from '../../audit/verify.ts';
import { ForensicsError } from '../../errors.ts';
import { usageError } from '../failure.ts';
import { withLocalCore } from '../local-core.ts';
import { readText } from '../read-text.ts';
import { print, printJson, say } from '../talk.ts';
import { chainsOf } from './chains.ts';
import type { HeadOptions } from './options.ts';

export interface VerifyOptions extends HeadOptions {
  /** 64 lower-case hexadecimal digits. */
  readonly head?: string;
  readonly file?: string;
}

type Verified = Verification & { readonly name: string };

/** @throws {ForensicsError} `audit_broken`, `usage`. */
export async function verify(options: VerifyOptions): Promise<void> {
  const { file } = options;
  const verified = file === undefined ? await verifyHere(options) : await verifyFile(file, options);
  if (options.json) printJson(verified);
  else for (const one of verified) print(wordsFor(one));
  const broken = verified.filter(({ broken: found }) => found !== null);
  if (broken.length > 0) throw brokenLogs(broken);
  if (options.head !== undefined || options.json) return;
  const isCut = file === undefined ? '' : ' or one that was cut off';
  say(
    `Without a hash noted elsewhere (--head) nobody can tell a log that was written anew${isCut}.`,
  );
}

async function verifyHere(options: VerifyOptions): Promise<readonly Verified[]> {
  const { head, tenant, service } = options;
  if (head !== undefined && tenant === undefined && !service) {
    throw usageError('A hash belongs to one log: add --tenant <name> or --service.');
  }
  return withLocalCore(options, async (core) => {
    const chains = await chainsOf(core, options);
    return chains.map(({ chain, name }) => ({
      name,
      ...core.audit.verify(chain, head === undefined ? {} : { head }),
    }));
  });
}

async function verifyFile(file: string, options: VerifyOptions): Promise<readonly Verified[]> {
  const { head, tenant, service } = options;
  if (tenant !== undefined || service) throw usageError('--file needs no --tenant, no --service.');
  const lines = (await readText(file)).split('\n').filter((line) => line !== '');
  return [{ name: file, ...verifyLines(lines, head === undefined ? {} : { head }) }];
}

function wordsFor({ name, count, head, broken, notedSeq }: Verified): string {
  const held = count === 1 ? '1 entry holds' : `${count} entries hold`;
  if (broken !== null) {
    const before = broken.seq === null ? '' : ` Before it ${held}.`;
    return `${name}: BROKEN. ${broken.explanation}${before}`;
  }
  if (count === 0) return `${name}: nothing was logged yet.`;
  const last = `${name}: ${held} together. The last has the hash ${head}.`;
  if (notedSeq === null) return last;
  return `${last} The noted hash is that of entry ${notedSeq}: nothing up to there was changed.`;
}

function brokenLogs(broken: readonly Verified[]): ForensicsError {
  const [first] = broken;
  const seq = first?.broken?.seq ?? null;
  const where = seq === null ? '' : ` at entry ${seq}`;
  const others = broken.length === 1 ? '' : `, and ${broken.length - 1} more`;
  return new ForensicsError(
    'audit_broken',
    `The audit log of ${first?.name} is broken${where}${others}. Compare it with a backup.`,
  );
}
