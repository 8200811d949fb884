/**
 * Signs evidence bundles. The keys are numbered from 1: files `signing-keys/0001.pem` and so on in the data folder or, if
 * several machines share a database, encrypted rows in it. The highest number is the current key and includes the private
 * half; of the others, only what is needed to verify old bundles is kept. Private keys cannot be exported: a backup copies
 * the data folder or the database, and verification needs only the public half.
 */

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ForensicsError, configInvalid, conflict } from '../contract/errors.ts';
import { makeDataFolder } from '../ports/data-folder/data-folder.ts';
import { makePrivateFolder, replaceFile, writeOnce } from '../ports/files/files.ts';
import { sha256Of } from './bundle-format.ts';

/** The public half of an Ed25519 key (RFC 8032). */
export interface PublicKey {
  /** SubjectPublicKeyInfo as PEM, with one newline at the end. */
  readonly pem: string;
  /** SHA-256 of SubjectPublicKeyInfo in DER, lower-case hex. */
  readonly fingerprint: string;
}

export interface Signer extends PublicKey {
  /** Returns a signature of 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
}

export function createSigner(privateKey: KeyObject): Signer {
  return {
    ...toPublicKey(createPublicKey(privateKey)),
    sign: (bytes) => sign(null, bytes, privateKey),
  };
}

/** Null if it is not a public Ed25519 key in PEM; also for a private key, because nobody should pass one around. */
export function readPublicKey(pem: string): PublicKey | null {
  if (/PRIVATE KEY/.test(pem)) return null;
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? toPublicKey(key) : null;
  } catch {
    return null;
  }
}

export function toPublicKey(key: KeyObject): PublicKey {
  const pem = key.export({ type: 'spki', format: 'pem' }).toString();
  return { pem, fingerprint: sha256Of(key.export({ type: 'spki', format: 'der' })) };
}

export interface SigningKey extends PublicKey {
  readonly createdAt: Date;
  /** When it was replaced; null for the current key. */
  readonly retiredAt: Date | null;
}

export type SigningKeys = ReturnType<typeof createSigningKeys>;

export interface KeyPlace {
  /** In descending order. */
  numbers(): Promise<readonly number[]>;
  read(number: number): Promise<string>;
  /** False if another process has already added a key with this number. */
  add(number: number, text: string): Promise<boolean>;
  replace(number: number, text: string): Promise<void>;
  /** Name of the key for messages. */
  nameOf(number: number): string;
}

export function createSigningKeys(place: KeyPlace, now: () => Date) {
  async function latest(): Promise<number> {
    const [number] = await place.numbers();
    if (number !== undefined) return number;
    // If another process is faster, its key is used.
    await place.add(1, newKeyText(now()));
    return 1;
  }

  async function list(): Promise<readonly SigningKey[]> {
    await latest();
    const keys: Omit<SigningKey, 'retiredAt'>[] = [];
    for (const number of await place.numbers()) keys.push(await readKey(place, number));
    return keys.map((key, at) => ({ ...key, retiredAt: keys[at - 1]?.createdAt ?? null }));
  }

  async function signer(): Promise<Signer> {
    const number = await latest();
    // Null for a key that has been replaced.
    const key = await read(place, number, (text) =>
      text.includes('BEGIN PUBLIC KEY') ? null : assertEd25519(createPrivateKey(text)),
    );
    if (key !== null) return createSigner(key);
    // Another process may have just replaced the key with a newer one.
    if ((await latest()) > number) return signer();
    throw configInvalid(
      `No key can sign: ${place.nameOf(number)} was replaced, and the key that replaced it is gone. Restore a copy of that key, or create a new key: forensics signing-key rotate.`,
    );
  }

  return {
    /** The current key; created when first needed. @throws {ForensicsError} `config_invalid` if damaged or missing. */
    signer,
    /** All keys, newest first, starting with the current one, which is created as for `signer`. */
    list,
    /** Deletes the current private half; bundles stay valid. @throws {ForensicsError} `conflict` with another. */
    async rotate(): Promise<SigningKey> {
      const next = (await latest()) + 1;
      if (!(await place.add(next, newKeyText(now())))) {
        throw conflict('Another process is replacing the signing key.');
      }
      for (const number of await place.numbers())
        if (number < next) await removePrivateKey(place, number);
      return (await list())[0]!;
    },
  };
}

export function keysInFolder(dataDir: string): KeyPlace {
  const folder = join(dataDir, 'signing-keys');
  const fileOf = (number: number) => join(folder, fileName(number));
  return {
    async numbers() {
      makeDataFolder(dataDir);
      makePrivateFolder(folder);
      const names = readdirSync(folder).filter((name) => /^\d{4,}\.pem$/.test(name));
      return names.map((name) => Number.parseInt(name, 10)).toSorted((one, other) => other - one);
    },
    read: async (number) => readFileSync(fileOf(number), 'utf8'),
    add: async (number, text) => writeOnce(fileOf(number), text),
    replace: async (number, text) => replaceFile(fileOf(number), text),
    nameOf: (number) => `signing-keys/${fileName(number)} in the data folder`,
  };
}

function fileName(number: number): string {
  return `${String(number).padStart(4, '0')}.pem`;
}

/** Copies the keys that the target does not have yet. */
export async function copySigningKeys(from: KeyPlace, to: KeyPlace): Promise<void> {
  for (const number of await from.numbers()) await to.add(number, await from.read(number));
}

/** PKCS#8 in PEM. Parsers skip lines before the header (RFC 7468, section 2), so the file can describe itself. */
function newKeyText(at: Date): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return `Signs evidence bundles (Ed25519). Keep it secret.\n${createdLine(at)}${pem}`;
}

async function removePrivateKey(place: KeyPlace, number: number): Promise<void> {
  if (!(await read(place, number, (text) => text.includes('PRIVATE KEY')))) return;
  const { pem, createdAt } = await readKey(place, number);
  await place.replace(
    number,
    `Verifies evidence bundles (Ed25519); no longer signs.\n${createdLine(createdAt)}${pem}`,
  );
}

function createdLine(at: Date): string {
  return `Created: ${at.toISOString()}\n`;
}

async function readKey(place: KeyPlace, number: number) {
  return read(place, number, (text) => {
    const createdAt = new Date(/^Created: (\S+)$/m.exec(text)?.[1] ?? Number.NaN);
    if (Number.isNaN(createdAt.getTime()))
      throw new TypeError('It does not state when it was created.');
    return { ...toPublicKey(assertEd25519(createPublicKey(text))), createdAt };
  });
}

function assertEd25519(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new TypeError('It is not an Ed25519 key.');
}

/** @throws {ForensicsError} `config_invalid` if it cannot be read or parsed. */
async function read<T>(place: KeyPlace, number: number, parse: (text: string) => T): Promise<T> {
  try {
    return parse(await place.read(number));
  } catch (cause) {
    // The database may have failed, rather than the key.
    if (cause instanceof ForensicsError) throw cause;
    throw configInvalid(
      `${place.nameOf(number)} is damaged or cannot be read; restore it from a copy, or move it away and create a new key: forensics signing-key rotate.`,
      { cause },
    );
  }
}
