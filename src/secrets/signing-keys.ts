/**
 * The keys that sign evidence bundles, a file each: `signing-keys/0001.pem` and on. The highest number is the one in use
 * and holds the private key; the others hold what is needed to verify old bundles, and no more. There is no way out for a
 * private key: a backup copies the data folder, and verifying needs only the public half.
 */

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeDataFolder } from '../data-folder/data-folder.ts';
import { ForensicsError } from '../errors.ts';
import { createSigner, type PublicKey, publicKeyOf, type Signer } from '../evidence/sign.ts';
import { makeOwnFolder, replaceFile, writeOnce } from '../files/atomic-write.ts';

export interface SigningKey extends PublicKey {
  readonly createdAt: Date;
  /** When another took its place; null for the one in use. */
  readonly retiredAt: Date | null;
}

interface SigningKeys {
  /** The key in use, made by the first call. @throws {ForensicsError} `config_invalid` when its file is damaged or gone. */
  signer(): Signer;
  /** Newest first; the first is in use. Makes it as `signer` does. */
  list(): readonly SigningKey[];
  /**
   * A new key takes the place of the present one, whose private half is gone then. Bundles that it signed stay valid.
   *
   * @throws {ForensicsError} `conflict` when another process does the same at the moment.
   */
  rotate(): SigningKey;
}

interface Options {
  readonly dataDir: string;
  readonly now: () => Date;
}

export function createSigningKeys({ dataDir, now }: Options): SigningKeys {
  const folder = join(dataDir, 'signing-keys');
  const fileOf = (number: number) => join(folder, `${String(number).padStart(4, '0')}.pem`);

  function latest(): number {
    makeDataFolder(dataDir);
    makeOwnFolder(folder);
    const numbers = numbersIn(folder);
    if (numbers.length > 0) return Math.max(...numbers);
    // Another process may be first; then its key counts.
    writeOnce(fileOf(1), newKeyText(now()));
    return 1;
  }

  function list(): readonly SigningKey[] {
    latest();
    const keys = numbersIn(folder).map((number) => readKey(fileOf(number)));
    return keys.map((key, at) => ({ ...key, retiredAt: keys[at - 1]?.createdAt ?? null }));
  }

  function signer(): Signer {
    const number = latest();
    const file = fileOf(number);
    const key = readPrivateKey(file);
    if (key !== null) return createSigner(key);
    // Another process may have put a newer one in its place just now.
    if (latest() > number) return signer();
    throw noneSigns(file);
  }

  return {
    signer,
    list,
    rotate() {
      const next = latest() + 1;
      if (!writeOnce(fileOf(next), newKeyText(now()))) {
        throw new ForensicsError('conflict', 'Another process is replacing the signing key.');
      }
      for (const number of numbersIn(folder)) if (number < next) forgetPrivateKey(fileOf(number));
      return list()[0]!;
    },
  };
}

/** Highest first. */
function numbersIn(folder: string): readonly number[] {
  const names = readdirSync(folder).filter((name) => /^\d{4,}\.pem$/.test(name));
  return names.map((name) => Number.parseInt(name, 10)).toSorted((one, other) => other - one);
}

/** PKCS#8 in PEM. Readers of PEM skip lines before it (RFC 7468, section 2), so the file describes itself. */
function newKeyText(at: Date): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return `Signs evidence bundles (Ed25519). Keep it secret.\n${createdLine(at)}${pem}`;
}

function forgetPrivateKey(file: string): void {
  if (!textOf(file).includes('PRIVATE KEY')) return;
  const { pem, createdAt } = readKey(file);
  replaceFile(
    file,
    `Verifies evidence bundles (Ed25519); signs no more.\n${createdLine(createdAt)}${pem}`,
  );
}

function createdLine(at: Date): string {
  return `Created: ${at.toISOString()}\n`;
}

function readKey(file: string): Omit<SigningKey, 'retiredAt'> {
  const text = textOf(file);
  const createdAt = new Date(/^Created: (\S+)$/m.exec(text)?.[1] ?? Number.NaN);
  if (Number.isNaN(createdAt.getTime())) throw damaged(file, null);
  const key = unlessDamaged(file, () => createPublicKey(text));
  return { ...publicKeyOf(ofOurKind(file, key)), createdAt };
}

/** Null for a key that was replaced. */
function readPrivateKey(file: string): KeyObject | null {
  const text = textOf(file);
  if (text.includes('BEGIN PUBLIC KEY')) return null;
  return ofOurKind(
    file,
    unlessDamaged(file, () => createPrivateKey(text)),
  );
}

function ofOurKind(file: string, key: KeyObject): KeyObject {
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw damaged(file, null);
}

function textOf(file: string): string {
  return unlessDamaged(file, () => readFileSync(file, 'utf8'));
}

function unlessDamaged<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw damaged(file, error);
  }
}

function damaged(file: string, cause: unknown): ForensicsError {
  return new ForensicsError(
    'config_invalid',
    `${nameOf(file)} in the data folder is damaged or cannot be read; put back a copy of it, or move it away and create a new key: forensics signing-key rotate.`,
    { cause },
  );
}

function noneSigns(file: string): ForensicsError {
  return new ForensicsError(
    'config_invalid',
    `No key of the data folder can sign: ${nameOf(file)} was replaced, and the key that replaced it is gone. Put back a copy of that, or create a new key: forensics signing-key rotate.`,
  );
}

function nameOf(file: string): string {
  return `signing-keys/${basename(file)}`;
}
