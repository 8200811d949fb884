/** Makes an archive tamper-evident with checksums, a list of the files and its signature. A case comes in pieces. */

import { crc32 as checksum, deflateRawSync } from 'node:zlib';
import { conflict } from '../contract/errors.ts';
import { type Language, languages } from '../contract/vocabulary.ts';
import {
  canonicalBytes,
  digestsOf,
  fileNames,
  type Manifest,
  sha256Of,
  type ZipEntry,
} from './bundle-format.ts';
import { caseReadmeDe, caseReadmeEn } from './readme.ts';
import type { CaseRecord } from './records.ts';
import type { Signer } from './sign.ts';
import { bundleFormat, caseFormat } from '../contract/verification.ts';

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
  const listed = [text(fileNames.publicKey, signer.pem), ...files.map(pack)];
  const sums = writeSums(listed.map(listFile));
  const all = [{ name: fileNames.sums, bytes: sums }, ...listed];
  const seal = signList({ ...facts, format: bundleFormat, files: all.map(listFile) }, signer);
  const zip = openZip(new Date(facts.examinedAt));
  const entries = [...seal.entries, ...all].flatMap(zip.add);
  const bytes = Buffer.concat([...entries, ...zip.end().map((part) => part.bytes)]);
  return { bytes, manifestSha256: seal.manifestSha256 };
}

/** The signed list and its signature, as entries of the archive. */
function signList(list: Omit<Manifest, 'key'>, signer: Signer) {
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

function listFile({ name, bytes, packed }: ZipEntry): ListedFile {
  const file = { name, sizeBytes: bytes.length, sha256: sha256Of(bytes) };
  return packed === undefined ? file : { ...file, packedSha256: sha256Of(packed) };
}

/** The list of checksums, in the format of `sha256sum --check`. */
function writeSums(files: readonly ListedFile[]): Buffer {
  return Buffer.from(files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
}

// A case: a complete bundle of each picture, which can be verified and reproduced on its own, the list of the pictures,
// and a report on all of them. Written in pieces, because a case does not fit into memory; the list and its signature
// come last.

interface CaseHow {
  readonly signer: Signer;
  readonly signedAt: Date;
  /** Version of the program that writes the archive. */
  readonly product: string;
}

interface CaseFacts {
  readonly record: CaseRecord;
  readonly reports: Readonly<Partial<Record<Language, Uint8Array>>>;
  readonly examinedAt: Date;
}

/** `add` and `seal` return the archive's next pieces. @throws {ForensicsError} `conflict` above 4 GiB. */
export function openCaseBundle({ signer, signedAt, product }: CaseHow) {
  const zip = openZip(signedAt);
  const files: ListedFile[] = [];

  function add(entry: ZipEntry): readonly Uint8Array[] {
    files.push(listFile(entry));
    return zip.add(entry);
  }

  function seal({ record, reports, examinedAt }: CaseFacts) {
    const list = canonicalBytes(record);
    const times = { examinedAt: examinedAt.toISOString(), signedAt: signedAt.toISOString() };
    const readmeFacts = { name: record.case, fingerprint: signer.fingerprint, product, ...times };
    const pieces = [
      { name: fileNames.case, bytes: list },
      ...languages.map((language) => {
        return { name: fileNames.report(language), bytes: present(reports, language) };
      }),
      text(fileNames.readme.en, caseReadmeEn(readmeFacts)),
      text(fileNames.readme.de, caseReadmeDe(readmeFacts)),
      text(fileNames.publicKey, signer.pem),
    ].flatMap(add);
    pieces.push(...add({ name: fileNames.sums, bytes: writeSums(files) }));
    const item = { name: record.case, ...digestsOf(list), file: fileNames.case };
    const signed = signList({ format: caseFormat, product, ...times, item, files }, signer);
    pieces.push(...signed.entries.flatMap(zip.add), ...zip.end().map(({ bytes }) => bytes));
    return { pieces, manifestSha256: signed.manifestSha256 };
  }

  return { add, seal };
}

export function text(name: string, content: string): ZipEntry {
  return { name, bytes: Buffer.from(content, 'utf8') };
}

export function present<T>(reports: Readonly<Partial<Record<Language, T>>>, language: Language): T {
  const report = reports[language];
  if (report === undefined) throw new TypeError(`the report in ${language} is missing`);
  return report;
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

/** Each header comes before its bytes, the directory last. @throws {ForensicsError} `conflict` above 4 GiB. */
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

/** What local header and directory entry share, from the version needed to read to the length of the extra field. */
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

/** The date in the upper half, and the time in steps of two seconds; in UTC, so that the time zone does not matter. */
function dosTime(at: Date): number {
  const year = Math.min(2107, Math.max(1980, at.getUTCFullYear()));
  const date = ((year - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return date * 0x1_0000 + time;
}

function totalSize(parts: readonly ZipPart[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
