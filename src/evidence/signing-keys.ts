/**
 * The keys that sign evidence bundles, numbered from 1: `signing-keys/0001.pem` and on in the data folder or, where several
 * machines share a database, sealed in there. The highest number is the one in use and holds the private key; the others hold
 * what is needed to verify old bundles, and no more. There is no way out for a private key: a backup copies the data folder
 * or the database, and verifying needs only the public half.
 */

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eq, like } from 'drizzle-orm';
import { ForensicsError } from '../errors.ts';
import { makeDataFolder } from '../ports/data-folder/data-folder.ts';
import { type Db, transact, type Tx } from '../ports/db/database.ts';
import { settings } from '../ports/db/schema.ts';
import { makeOwnFolder, replaceFile, writeOnce } from '../ports/files/atomic-write.ts';
import { createSeal } from '../ports/storage/configs.ts';
import { createSigner, type PublicKey, toPublicKey, type Signer } from './sign.ts';

export interface SigningKey extends PublicKey {
  readonly createdAt: Date;
  /** When another took its place; null for the one in use. */
  readonly retiredAt: Date | null;
}

export interface SigningKeys {
  /** The key in use, made by the first call. @throws {ForensicsError} `config_invalid` when it is damaged or gone. */
  signer(): Promise<Signer>;
  /** Newest first; the first is in use. Makes it as `signer` does. */
  list(): Promise<readonly SigningKey[]>;
  /**
   * A new key takes the place of the present one, whose private half is gone then. Bundles that it signed stay valid.
   *
   * @throws {ForensicsError} `conflict` when another process does the same at the moment.
   */
  rotate(): Promise<SigningKey>;
}

/** Where they are kept. */
export interface KeyPlace {
  /** Highest first. */
  numbers(): Promise<readonly number[]>;
  read(number: number): Promise<string>;
  /** False where another process was first. */
  add(number: number, text: string): Promise<boolean>;
  replace(number: number, text: string): Promise<void>;
  /** For messages. */
  nameOf(number: number): string;
}

export function createSigningKeys(place: KeyPlace, now: () => Date): SigningKeys {
  async function latest(): Promise<number> {
    const [number] = await place.numbers();
    if (number !== undefined) return number;
    // Another process may be first; then its key counts.
    await place.add(1, newKeyText(now()));
    return 1;
  }

  async function list(): Promise<readonly SigningKey[]> {
    await latest();
    const keys: UndatedKey[] = [];
    for (const number of await place.numbers()) keys.push(await readKey(place, number));
    return keys.map((key, at) => ({ ...key, retiredAt: keys[at - 1]?.createdAt ?? null }));
  }

  async function signer(): Promise<Signer> {
    const number = await latest();
    const key = await readPrivateKey(place, number);
    if (key !== null) return createSigner(key);
    // Another process may have put a newer one in its place just now.
    if ((await latest()) > number) return signer();
    throw noneSigns(place.nameOf(number));
  }

  return {
    signer,
    list,
    async rotate() {
      const next = (await latest()) + 1;
      if (!(await place.add(next, newKeyText(now())))) {
        throw new ForensicsError('conflict', 'Another process is replacing the signing key.');
      }
      for (const number of await place.numbers())
        if (number < next) await forgetPrivateKey(place, number);
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
      makeOwnFolder(folder);
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

const rowPrefix = 'signing-key/';
const isKey = like(settings.key, `${rowPrefix}%`);

/**
 * Rows of the settings, for machines that share a database.
 *
 * @param sealKey - 32 bytes that all of them derive from the master key.
 */
export function keysInDatabase(db: Db, sealKey: Buffer): KeyPlace {
  const seal = createSeal(sealKey);
  const rowOf = (number: number, text: string) => {
    const key = `${rowPrefix}${number}`;
    return { key, value: seal.seal(text, key).toString('base64') };
  };
  return {
    async numbers() {
      const rows = await db.select({ key: settings.key }).from(settings).where(isKey).all();
      return rows.map(({ key }) => Number(key.slice(rowPrefix.length))).toSorted((a, b) => b - a);
    },
    async read(number) {
      const key = `${rowPrefix}${number}`;
      const row = await db.select().from(settings).where(eq(settings.key, key)).get();
      return seal.open(Buffer.from(row?.value ?? '', 'base64'), key);
    },
    add: (number, text) =>
      transact(db, async (tx) => {
        const written = tx.insert(settings).values(rowOf(number, text)).onConflictDoNothing();
        return (await written.run()).changes === 1;
      }),
    replace: (number, text) =>
      transact(db, async (tx) => {
        const { key, value } = rowOf(number, text);
        await tx.update(settings).set({ value }).where(eq(settings.key, key)).run();
      }),
    nameOf: (number) => `Signing key ${number} in the database`,
  };
}

/** Seals those in a database under another key. */
export async function resealSigningKeys(
  tx: Tx,
  { from, to }: { readonly from: Buffer; readonly to: Buffer },
): Promise<void> {
  const [old, renewed] = [createSeal(from), createSeal(to)];
  for (const { key, value } of await tx.select().from(settings).where(isKey).all()) {
    const text = old.open(Buffer.from(value, 'base64'), key);
    const sealed = renewed.seal(text, key).toString('base64');
    await tx.update(settings).set({ value: sealed }).where(eq(settings.key, key)).run();
  }
}

/** Copies those that are not there yet. */
export async function copySigningKeys(from: KeyPlace, to: KeyPlace): Promise<void> {
  for (const number of await from.numbers()) await to.add(number, await from.read(number));
}

/** PKCS#8 in PEM. Readers of PEM skip lines before it (RFC 7468, section 2), so the file describes itself. */
function newKeyText(at: Date): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return `Signs evidence bundles (Ed25519). Keep it secret.\n${createdLine(at)}${pem}`;
}

async function forgetPrivateKey(place: KeyPlace, number: number): Promise<void> {
  if (!(await textOf(place, number)).includes('PRIVATE KEY')) return;
  const { pem, createdAt } = await readKey(place, number);
  await place.replace(
    number,
    `Verifies evidence bundles (Ed25519); signs no more.\n${createdLine(createdAt)}${pem}`,
  );
}

function createdLine(at: Date): string {
  return `Created: ${at.toISOString()}\n`;
}

type UndatedKey = Omit<SigningKey, 'retiredAt'>;

async function readKey(place: KeyPlace, number: number): Promise<UndatedKey> {
  const text = await textOf(place, number);
  return unlessDamaged(place.nameOf(number), async () => {
    const createdAt = new Date(/^Created: (\S+)$/m.exec(text)?.[1] ?? Number.NaN);
    if (Number.isNaN(createdAt.getTime()))
      throw new TypeError('It does not tell when it was made.');
    return { ...toPublicKey(ofOurKind(createPublicKey(text))), createdAt };
  });
}

/** Null for a key that was replaced. */
async function readPrivateKey(place: KeyPlace, number: number): Promise<KeyObject | null> {
  const text = await textOf(place, number);
  if (text.includes('BEGIN PUBLIC KEY')) return null;
  return unlessDamaged(place.nameOf(number), async () => ofOurKind(createPrivateKey(text)));
}

function ofOurKind(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new TypeError('It is not an Ed25519 key.');
}

async function textOf(place: KeyPlace, number: number): Promise<string> {
  return unlessDamaged(place.nameOf(number), () => place.read(number));
}

/** @param name - where it is. */
async function unlessDamaged<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    // The database itself may be in trouble.
    if (cause instanceof ForensicsError) throw cause;
    throw new ForensicsError(
      'config_invalid',
      `${name} is damaged or cannot be read; put back a copy of it, or move it away and create a new key: forensics signing-key rotate.`,
      { cause },
    );
  }
}

function noneSigns(name: string): ForensicsError {
  return new ForensicsError(
    'config_invalid',
    `No key can sign: ${name} was replaced, and the key that replaced it is gone. Put back a copy of that, or create a new key: forensics signing-key rotate.`,
  );
}
