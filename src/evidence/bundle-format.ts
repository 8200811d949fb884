/** The format of a bundle. Earlier bundles must stay verifiable, so any change here needs a new format version. */

import { hash } from 'node:crypto';
import { crc32 as checksum } from 'node:zlib';
import canonicalize from 'canonicalize';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { endOfText, hasFewValues, type Wire } from '../contract/common.ts';
import { conflict } from '../contract/errors.ts';
import {
  manifestSchema,
  type Verification as ShownVerification,
} from '../contract/verification.ts';
import type { Format, Language } from '../contract/vocabulary.ts';
import type { Examination, MapName } from '../detectors/result.ts';
import type { Limits } from '../image/picture.ts';
import type { ReportItem } from '../present/report-item.ts';
import type { Rendering } from '../render/rendering.ts';

/** The files in a bundle; the last two are in a case archive. */
export const fileNames = {
  /** The list of all files and its signature, which cannot be in the list themselves. */
  manifest: 'manifest.json',
  signature: 'manifest.sig',
  publicKey: 'public-key.pem',
  sums: 'SHA256SUMS',
  readme: { en: 'README.txt', de: 'LIESMICH.txt' },
  result: 'result.json',
  settings: 'settings.json',
  custody: 'custody.json',
  model: 'model.json',
  texts: 'texts.json',
  trustList: 'trust-list.pem',
  report: (language: Language) => `report-${language}.pdf`,
  /** Included only on request, because a bundle is complete without it. */
  html: (language: Language) => `report-${language}.html`,
  heatmap: (name: MapName) => `heatmap-${name}.png`,
  map: (name: MapName) => `map-${name}.png`,
  /** The picture's own name may contain anything, so it is not used here but recorded in the list. */
  original: (format: Format) => `original.${format}`,
  case: 'case.json',
  pictureBundle: (number: number) => `picture-${String(number).padStart(4, '0')}.zip`,
} as const;

/** The list of a case with the most pictures takes a seventh of this. */
export const maxManifestBytes = 1_000_000;
/** The signed list: name, size and SHA-256 of every other file in the bundle, the item, and the signing key. */
export type Manifest = Wire<typeof manifestSchema>;

const readManifest = createReader(manifestSchema);

/** Null if the bytes are not a manifest of this format in its canonical form. */
export function parseManifest(bytes: Uint8Array): Manifest | null {
  if (bytes.length > maxManifestBytes) return null;
  const manifest = readManifest(bytes);
  if (manifest === null || !isDate(manifest.examinedAt) || !isDate(manifest.signedAt)) return null;
  return canonicalBytes(manifest).equals(bytes) ? manifest : null;
}

function isDate(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

/** A file of a bundle, as stored in its archive. */
export interface ZipEntry {
  /** ASCII, without folders. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Compressed with DEFLATE, as in the archive; absent if the archive contains the bytes uncompressed. */
  readonly packed?: Uint8Array;
  /** The checksum in the header, if it is not to be that of the bytes. */
  readonly crc32?: number;
}

/** An examined picture and everything made from it: the input for writing a bundle. */
export interface BundleCase {
  readonly original: Uint8Array;
  /** The file name under which the picture was read; null if only its bytes were given. */
  readonly openedAs: string | null;
  readonly examination: Examination;
  /** The item as passed to rendering. */
  readonly item: ReportItem;
  readonly heatmapSize: { readonly width: number; readonly height: number } | null;
  readonly limits: Limits;
  /** PEM certificates of trusted signers of content credentials; null for none. Included if they were used. */
  readonly trustList: string | null;
  /** Rendered in every language from the bytes of `original`, never from files that someone else could have written. */
  readonly rendering: Rendering;
}

type Kind = 'changed' | 'missing' | 'added' | 'signature' | 'key' | 'container' | 'contradiction';

export interface Problem {
  /**
   * `changed`: the bytes of a listed file or of the signed list differ. `added`: a file is not in the list, or is in
   * the archive twice. `signature`: the signature does not match the list and the key. `key`: the signature is valid,
   * but its key is not the expected one. `container`: the archive has bytes outside its files. `contradiction`: the
   * signature is valid, but parts of the bundle contradict each other.
   */
  readonly kind: Kind;
  /** Name inside the archive; null if the problem does not concern a single file. */
  readonly file: string | null;
  /** One sentence in English. */
  readonly message: string;
}

export interface VerifyOptions {
  /** Fingerprint of the expected signing key; if it is not given, anyone could have signed the bundle. */
  readonly fingerprint?: string;
}

export interface Verification extends Omit<ShownVerification, 'problems' | 'key'> {
  readonly problems: readonly Problem[];
  /** The signing key; null if the signature is invalid. */
  readonly key: {
    readonly fingerprint: string;
    /** Whether it is the expected key; null if none was given, in which case anyone could have signed the bundle. */
    readonly isExpected: boolean | null;
  } | null;
}

/** The name of the picture is null if its list cannot be trusted. */
export type VerifiedPicture = NonNullable<ShownVerification['pictures']>[number];

/** Drops what JSON drops, lists the values of maps, and replaces unpaired surrogates, as in file names, with U+FFFD. */
export function toPlain(value: unknown): unknown {
  const text = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'string') return Buffer.from(member, 'utf8').toString('utf8');
    return member instanceof Uint16Array ? Array.from(member) : member;
  });
  return JSON.parse(text) as unknown;
}

/** Canonical JSON (RFC 8785) in UTF-8, without a final newline. @throws {TypeError} for undefined and the like. */
export function canonicalBytes(value: unknown): Buffer {
  const text = canonicalize(toPlain(value));
  if (text === undefined) throw new TypeError('the value has no JSON form');
  return Buffer.from(text, 'utf8');
}

export function sha256Of(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}

/** Size and digests of the item, as a manifest states them. */
export function digestsOf(bytes: Uint8Array) {
  const [sha512, md5] = [hash('sha512', bytes), hash('md5', bytes)];
  return { sizeBytes: bytes.length, sha256: sha256Of(bytes), sha512, md5 };
}

/** Creates a function that reads JSON of this form, and returns null for anything else or a missing file. */
export function createReader<T extends TSchema>(schema: T) {
  let compiled: ReturnType<typeof Compile<T>> | undefined;
  return (bytes: Uint8Array | undefined): Wire<T> | null => {
    const value = parseJson(bytes);
    // Compiled only here, because most commands read no bundle.
    compiled ??= Compile(schema);
    return compiled.Check(value) ? value : null;
  };
}

/**
 * Parses JSON. Returns undefined, which no JSON text yields, for missing or invalid text and if it is malicious.
 *
 * @param how - `withMaps`: otherwise, long lists of numbers are empty, because they take ten times their memory.
 */
export function parseJson(bytes: Uint8Array | undefined, { withMaps = false } = {}): unknown {
  try {
    if (bytes === undefined || bytes.length > maxJsonBytes) return undefined;
    const others = withoutMaps(bytes);
    if (!hasFewValues(others, maxValues)) return undefined;
    const text = new TextDecoder('utf-8', { fatal: true }).decode(withMaps ? bytes : others);
    const value: unknown = JSON.parse(text);
    return isWithin(value, maxLevels) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The result of the largest picture has eight maps of 1.6 million numbers, and 75 MB. */
export const maxJsonBytes = 100_000_000;
/** Besides the maps: far more than we write. Parsed, `{},` takes twenty times the memory of its text. */
const maxValues = 1_000_000;

/** With an empty list for each long list of numbers. @throws {SyntaxError} for a list of anything else. */
function withoutMaps(json: Uint8Array): Uint8Array {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  const parts: Uint8Array[] = [];
  let written = 0;
  let start = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) at = endOfText(bytes, at);
    if (byte === closingBracket && start > 0 && at - start > longListBytes) {
      checkNumbers(bytes.subarray(start, at));
      parts.push(bytes.subarray(written, start));
      written = at;
    }
    if (byte === bracket) start = at + 1;
    else if (!isInNumbers(byte)) start = 0;
  }
  return Buffer.concat([...parts, bytes.subarray(written)]);
}

const longListBytes = 1000;

/** Digits, signs, points, exponents and the commas between them. */
function isInNumbers(byte: number): boolean {
  return (byte >= comma! && byte <= 0x39) || byte === plus || byte === 0x65 || byte === 0x45;
}

/** In pieces, so that they take little memory. */
function checkNumbers(list: Buffer): void {
  for (let at = 0; at <= list.length; ) {
    const found = list.indexOf(comma!, at + longListBytes);
    const end = found < 0 ? list.length : found;
    JSON.parse(`[0,${list.toString('latin1', at, end)}]`);
    at = end + 1;
  }
}

const [quote, comma, bracket, closingBracket, plus] = Buffer.from('",[]+');

/** Far deeper than anything that we write, but too shallow for a recursive walk to exhaust the stack. */
const maxLevels = 64;

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isWithin(member, levels - 1));
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
export const maxArchiveBytes = 0xffff_ffff;

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
