/** The administrator's list of authorities whose signers are trusted. Read when a lab opens, so a slip is told at once. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ForensicsError } from '../errors.ts';

/**
 * The certificates of a PEM file, in PEM, without what stands between them; null for no file.
 *
 * @throws {ForensicsError} `config_invalid` when the file cannot be read or holds no certificate, or a broken one.
 */
export function readTrustList(file: string | null): string | null {
  if (file === null) return null;
  try {
    const blocks = readFileSync(file, 'utf8').match(certificate) ?? [];
    // The library takes any text, and then trusts nobody or reads nothing at all.
    for (const block of blocks) void new X509Certificate(block);
    if (blocks.length > 0) return `${blocks.join('\n')}\n`;
  } catch (error) {
    throw refused(error);
  }
  throw refused();
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function refused(cause?: unknown): ForensicsError {
  return new ForensicsError(
    'config_invalid',
    'The trust list must be a readable PEM file with the certificates of trusted authorities.',
    { cause },
  );
}
