/** The key that somebody expects a bundle to be signed with. */

import { type Command, Option } from 'commander';
import type { VerifyOptions } from '../../evidence/verify.ts';
import { usageError } from '../failure.ts';

export interface KeyOptions {
  readonly key?: string;
  readonly fingerprint?: string;
}

export function describeExpectedKey(command: Command): Command {
  return command
    .addOption(
      new Option('--key <file>', 'the public key that must have signed (PEM)').conflicts(
        'fingerprint',
      ),
    )
    .option(
      '--fingerprint <sha256>',
      'the same by its fingerprint, as "signing-key show" tells it',
    );
}

/** @throws {ForensicsError} `usage`, `file_not_found`, `file_not_readable`. */
export async function expectedKey({ key, fingerprint }: KeyOptions): Promise<VerifyOptions> {
  if (key !== undefined) return { fingerprint: await fingerprintOf(key) };
  if (fingerprint === undefined) return {};
  return { fingerprint: fingerprintIn(fingerprint) };
}

/** However it was written down: with colons, with spaces, in capitals. @throws {ForensicsError} `usage`. */
export function fingerprintIn(written: string): string {
  const digits = written.replaceAll(/[\s:]/g, '').toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digits)) return digits;
  throw usageError('--fingerprint must be a SHA-256: 64 hexadecimal digits.');
}

async function fingerprintOf(file: string): Promise<string> {
  const { readPublicKey } = await import('../../evidence/signer.ts');
  const { readText } = await import('../read-text.ts');
  const key = readPublicKey(await readText(file));
  if (key !== null) return key.fingerprint;
  throw usageError(
    '--key must hold a public Ed25519 key in PEM, as "signing-key export" writes it.',
  );
}
