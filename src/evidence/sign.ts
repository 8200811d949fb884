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
import { crc32 as checksum, deflateRawSync } from 'node:zlib';
import { ForensicsError, configInvalid, conflict } from '../errors.ts';
import { makeDataFolder } from '../ports/data-folder/data-folder.ts';
import { makePrivateFolder, replaceFile, writeOnce } from '../ports/files/files.ts';
import {
  bundleFormat,
  canonicalBytes,
  fileNames,
  type Manifest,
  sha256Of,
  type ZipEntry,
} from './bundle-format.ts';

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

/**
 * Reads the public key from the text of a PEM file; null if it is not a public Ed25519 key, and
 * also for a private key, because nobody should pass one around.
 */
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
    const keys: UndatedKey[] = [];
    for (const number of await place.numbers()) keys.push(await readKey(place, number));
    return keys.map((key, at) => ({ ...key, retiredAt: keys[at - 1]?.createdAt ?? null }));
  }

  async function signer(): Promise<Signer> {
    const number = await latest();
    const key = await readPrivateKey(place, number);
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
    /**
     * Replaces the current key and deletes its private half. Bundles signed with it stay valid.
     *
     * @throws {ForensicsError} `conflict` if another process is rotating at the same time.
     */
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

type UndatedKey = Omit<SigningKey, 'retiredAt'>;

async function readKey(place: KeyPlace, number: number): Promise<UndatedKey> {
  return read(place, number, (text) => {
    const createdAt = new Date(/^Created: (\S+)$/m.exec(text)?.[1] ?? Number.NaN);
    if (Number.isNaN(createdAt.getTime()))
      throw new TypeError('It does not state when it was created.');
    return { ...toPublicKey(assertEd25519(createPublicKey(text))), createdAt };
  });
}

/** Null for a key that has been replaced. */
async function readPrivateKey(place: KeyPlace, number: number): Promise<KeyObject | null> {
  return read(place, number, (text) =>
    text.includes('BEGIN PUBLIC KEY') ? null : assertEd25519(createPrivateKey(text)),
  );
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

// Puts files into a tamper-evident bundle: a single archive with checksums, a list of the files and its signature.

export interface SealedBundle {
  readonly bytes: Uint8Array;
  /** SHA-256 of the signed list, which identifies the bundle. */
  readonly manifestSha256: string;
}

export type BundleFacts = Pick<Manifest, 'product' | 'examinedAt' | 'signedAt' | 'item'>;

/** The same files, facts and key give the same bytes with one version of zlib. @param files - in archive order. */
export function sealBundle(
  files: readonly ZipEntry[],
  facts: BundleFacts,
  signer: Signer,
): SealedBundle {
  const listed = [
    { name: fileNames.publicKey, bytes: Buffer.from(signer.pem) },
    ...files.map(pack),
  ];
  const sums = writeSums(listed.map(listFile));
  const all = [{ name: fileNames.sums, bytes: sums }, ...listed];
  const seal = signList({ ...facts, format: bundleFormat, files: all.map(listFile) }, signer);
  const zip = openZip(new Date(facts.examinedAt));
  const entries = [...seal.entries, ...all].flatMap(zip.add);
  const bytes = Buffer.concat([...entries, ...zip.end().map((part) => part.bytes)]);
  return { bytes, manifestSha256: seal.manifestSha256 };
}

/** The signed list and its signature, as entries of the archive. */
export function signList(list: Omit<Manifest, 'key'>, signer: Signer) {
  const key = { algorithm: 'Ed25519', fingerprint: signer.fingerprint } as const;
  const bytes = canonicalBytes({ ...list, key } satisfies Manifest);
  const entries: readonly ZipEntry[] = [
    { name: fileNames.manifest, bytes },
    { name: fileNames.signature, bytes: signer.sign(bytes) },
  ];
  return { entries, manifestSha256: sha256Of(bytes) };
}

/** Compresses a file unless it is a picture or a map, which are compressed already. */
function pack(entry: ZipEntry): ZipEntry {
  if (!/\.(?:json|pdf|html)$/.test(entry.name)) return entry;
  return { ...entry, packed: deflateRawSync(entry.bytes) };
}

type ListedFile = Manifest['files'][number];

export function listFile({ name, bytes, packed }: ZipEntry): ListedFile {
  const file = { name, sizeBytes: bytes.length, sha256: sha256Of(bytes) };
  return packed === undefined ? file : { ...file, packedSha256: sha256Of(packed) };
}

/** The list of checksums, in the format of `sha256sum --check`. */
export function writeSums(files: readonly ListedFile[]): Buffer {
  return Buffer.from(files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
}

// Writes zip archives in exactly one form: no comments or extra fields, and the same time for all entries. The same
// files, compressed or not, always give the same bytes as long as this code is unchanged, independently of any library.
// Rebuilding an archive therefore shows whether it is untouched.
//
// See PKWARE APPNOTE.TXT 6.3.10, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.16 (end record).

/** A named section of the archive; the archive consists of all its sections, one after another. */
interface ZipPart {
  readonly what: string;
  readonly bytes: Uint8Array;
}

/** Larger archives would need fields that we do not write. */
const maxArchiveBytes = 0xffff_ffff;

/** Version 2.0 on Unix, so that the permissions below apply. */
const madeBy = 0x0314;
const neededToRead = { stored: 10, deflated: 20 };
const deflated = 8;
/** A regular file that everyone can read. */
const permissions = 0o100644;

/**
 * Writes an archive entry by entry: each entry's header comes before its bytes, and the directory comes last.
 *
 * @throws {ForensicsError} `conflict` from both methods, when the archive would exceed 4 GiB.
 */
export function openZip(at: Date) {
  const directory: ZipPart[] = [];
  let offset = 0;
  return {
    /** @returns the header and the contents. */
    add: (entry: ZipEntry): readonly [header: Uint8Array, content: Uint8Array] => {
      const content = entry.packed ?? entry.bytes;
      const common = commonFields(entry, at);
      const name = Buffer.from(entry.name, 'latin1');
      const header = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name]);
      directory.push({
        what: `the directory entry of ${entry.name}`,
        bytes: directoryEntry(common, name, offset),
      });
      offset += header.length + content.length;
      requireSize(offset);
      return [header, content];
    },
    end(): readonly ZipPart[] {
      const end = endRecord(directory.length, totalSize(directory), offset);
      requireSize(offset + totalSize(directory));
      return [...directory, { what: 'the end record', bytes: end }];
    },
  };
}

function requireSize(bytes: number): void {
  if (bytes <= maxArchiveBytes) return;
  throw conflict(
    'The bundle would exceed 4 GB. Leave out the picture files (--without-original), or split the case.',
  );
}

/**
 * Fields that the local header and the directory entry share: version needed to read, flags,
 * method, time, checksum, sizes, length of the name and of the extra field.
 */
function commonFields({ name, bytes, packed, crc32 }: ZipEntry, at: Date): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(packed ? neededToRead.deflated : neededToRead.stored, 0);
  fields.writeUInt16LE(packed ? deflated : 0, 4);
  fields.writeUInt32LE(dosTime(at), 6);
  fields.writeUInt32LE(crc32 ?? checksum(bytes), 10);
  fields.writeUInt32LE((packed ?? bytes).length, 14);
  fields.writeUInt32LE(bytes.length, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

function directoryEntry(common: Buffer, name: Buffer, offset: number): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt32LE(0x0201_4b50);
  head.writeUInt16LE(madeBy, 4);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(permissions * 0x1_0000, 6);
  tail.writeUInt32LE(offset, 10);
  return Buffer.concat([head, common, tail, name]);
}

function endRecord(entries: number, directoryBytes: number, offset: number): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x0605_4b50);
  record.writeUInt16LE(entries, 8);
  record.writeUInt16LE(entries, 10);
  record.writeUInt32LE(directoryBytes, 12);
  record.writeUInt32LE(offset, 16);
  return record;
}

/**
 * The date in the upper half and the time, in steps of two seconds, in the lower half; in UTC, so
 * that the bytes do not depend on the time zone.
 */
function dosTime(at: Date): number {
  const year = Math.min(2107, Math.max(1980, at.getUTCFullYear()));
  const date = ((year - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return date * 0x1_0000 + time;
}

function totalSize(parts: readonly ZipPart[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
