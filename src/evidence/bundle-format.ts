/**
 * What a bundle is made of: names, their order and the bounds of what is read. A bundle of an earlier version must stay
 * verifiable, so a change here is a new format, never another meaning of this one.
 */

import canonicalize from 'canonicalize';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Language } from '../contract/vocabulary.ts';
import type { Examination, MapName } from '../engine/result.ts';
import type { Format } from '../contract/formats.ts';
import type { Limits } from '../image/picture.ts';
import type { ReportItem } from '../present/report-item.ts';
import type { Rendering } from '../examiner/requests.ts';

export const bundleFormat = 'forensics-evidence-bundle/2';
/** Its heatmaps were drawn in more colours, and its raw maps had a value for each pixel. */
export const firstBundleFormat = 'forensics-evidence-bundle/1';

/** The two files that cannot stand in the list of files: the list itself, and the signature over it. */
export const manifestFile = 'manifest.json';
export const signatureFile = 'manifest.sig';

export const publicKeyFile = 'public-key.pem';
export const sumsFile = 'SHA256SUMS';
export const readmeFiles = { en: 'README.txt', de: 'LIESMICH.txt' } as const;
export const resultFile = 'result.json';
export const settingsFile = 'settings.json';
export const custodyFile = 'custody.json';
export const modelFile = 'model.json';
export const textsFile = 'texts.json';
export const trustListFile = 'trust-list.pem';

export const reportFile = (language: Language) => `report-${language}.pdf`;
/** Only where it was asked for: a bundle is whole without it. */
export const htmlFile = (language: Language) => `report-${language}.html`;
export const heatmapFile = (name: MapName) => `heatmap-${name}.png`;
export const mapFile = (name: MapName) => `map-${name}.png`;
/** Not under its own name: that may be anything, and is kept in the list instead. */
export const originalFile = (format: Format) => `original.${format}`;

/** More than the largest picture that can be examined makes. */
export const maxBundleBytes = 1_000_000_000;
export const maxBundleFiles = 64;

const hex = (digits: number) => Type.String({ pattern: `^[0-9a-f]{${digits}}$` });
const time = Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` });
const size = Type.Integer({ minimum: 0, maximum: maxBundleBytes });
const fileName = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9.-]{0,63}$' });

const manifestSchema = Type.Object(
  {
    format: Type.Union([Type.Literal(bundleFormat), Type.Literal(firstBundleFormat)]),
    /** Of the program that wrote it. */
    product: Type.String(),
    /** When the picture was examined, and when the bundle was signed, by the clock of the signing machine. */
    examinedAt: time,
    signedAt: time,
    key: Type.Object({ algorithm: Type.Literal('Ed25519'), fingerprint: hex(64) }),
    item: Type.Object({
      /** As it was handed in; any characters. */
      name: Type.String(),
      sizeBytes: size,
      sha256: hex(64),
      sha512: hex(128),
      md5: hex(32),
      /** Null when the picture was left out. */
      file: Type.Union([fileName, Type.Null()]),
    }),
    files: Type.Array(Type.Object({ name: fileName, sizeBytes: size, sha256: hex(64) }), {
      maxItems: maxBundleFiles,
    }),
  },
  { additionalProperties: false },
);

/** The list that is signed: every other file of the bundle by name, size and SHA-256, what it is about, and whose key. */
export type Manifest = Static<typeof manifestSchema>;

const manifestCheck = Compile(manifestSchema);

/** Null for what is no manifest of this format. */
export function parseManifest(bytes: Uint8Array): Manifest | null {
  const value = parseJson(bytes);
  return manifestCheck.Check(value) && isDate(value.examinedAt) && isDate(value.signedAt)
    ? value
    : null;
}

function isDate(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

/** A file of a bundle, as its archive holds it. */
export interface ZipEntry {
  /** ASCII, no folders. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What the headers state instead of the true checksum; for telling two kinds of damage apart. */
  readonly crc32?: number;
}

/** An examined picture with everything that was made of it: what a bundle is written from. */
export interface BundleCase {
  readonly original: Uint8Array;
  /** The file name that the reader of the picture was told; null when it saw bytes alone. */
  readonly openedAs: string | null;
  readonly examination: Examination;
  /** As it was given to the rendering. */
  readonly item: ReportItem;
  readonly heatmapSize: { readonly width: number; readonly height: number } | null;
  readonly limits: Limits;
  /** PEM certificates of trusted signers of content credentials; null for none. Goes in when the examination knew the same. */
  readonly trustList: string | null;
  /** In every language, from the bytes of `original`: never files that lay where others can write. */
  readonly rendering: Rendering;
}

/** A bundle that was unpacked, before anything of it is believed. */
export interface UnpackedBundle {
  /** The whole archive. */
  readonly bytes: Uint8Array;
  /** In the order of its directory; names may come twice. */
  readonly entries: readonly Required<ZipEntry>[];
  readonly manifest: Manifest;
  readonly manifestBytes: Uint8Array;
}

/** The first of this name. */
export function fileContent(
  { entries }: Pick<UnpackedBundle, 'entries'>,
  wanted: string,
): Uint8Array | null {
  return entries.find(({ name }) => name === wanted)?.bytes ?? null;
}

/**
 * A value as JSON can carry it: what JSON leaves out is left out, and half a surrogate pair, which file names and
 * metadata may hold and UTF-8 cannot, becomes U+FFFD.
 */
export function toPlain(value: unknown): unknown {
  const text = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'string') return Buffer.from(member, 'utf8').toString('utf8');
    return ArrayBuffer.isView(member) ? Array.from(toNumbers(member)) : member;
  });
  return JSON.parse(text) as unknown;
}

/**
 * The one JSON form of a value (RFC 8785): the same facts are the same bytes wherever they are written. UTF-8, without a
 * line end.
 *
 * @throws {TypeError} for what is no JSON at all, such as undefined.
 */
export function canonicalBytes(value: unknown): Buffer {
  const text = canonicalize(toPlain(value));
  if (text === undefined) throw new TypeError('the value has no JSON form');
  return Buffer.from(text, 'utf8');
}

/** The value of a JSON text; undefined, which no JSON text means, for anything else and for one that is built to do harm. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return isWithin(value, maxLevels) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Far more than we write, and too few to exhaust the stack of a recursive walk. */
const maxLevels = 64;

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isWithin(member, levels - 1));
}

function toNumbers(view: ArrayBufferView): ArrayLike<number> {
  if (view instanceof Uint16Array) return view;
  throw new TypeError('only 16-bit maps are written as lists of numbers');
}
