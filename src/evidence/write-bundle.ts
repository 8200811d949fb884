/**
 * Writes the evidence bundle of one examined picture, and the archive of a case. It decides which files go in and under
 * which names; `sign.ts` makes the bundle tamper-evident. It knows nothing about tenants, stores or clocks.
 */

import { Type } from 'typebox';
import { oneOf, orNull, type Wire } from '../contract/common.ts';
import { type Language, languages, resultClasses, statuses } from '../contract/vocabulary.ts';
import { mapNames } from '../engine/result.ts';
import {
  type BundleCase,
  canonicalBytes,
  caseFormat,
  createReader,
  digestsOf,
  fileNames,
  sha256Of,
  type ZipEntry,
} from './bundle-format.ts';
import { caseReadmeDe, caseReadmeEn, readmeDe, readmeEn } from './readme.ts';
import { toResultRecord, toCustodyRecord, toBundleSettings } from './records.ts';
import {
  type BundleFacts,
  listFile,
  openZip,
  sealBundle,
  type SealedBundle,
  signList,
  writeSums,
} from './seal.ts';
import type { Signer } from './sign.ts';

interface BundleHow {
  /** If false, only heatmaps and reports show the picture, and metadata is included only if the item asks for it. */
  readonly withOriginal: boolean;
  readonly signer: Signer;
  readonly signedAt: Date;
}

/**
 * The same case, options, key and time always give the same bytes.
 *
 * @throws {TypeError} when the rendering lacks a language.
 */
export function writeBundle(
  given: BundleCase,
  { withOriginal, signer, signedAt }: BundleHow,
): SealedBundle {
  const facts = toFacts(given, { withOriginal, signedAt });
  const { heatmaps, rawMaps, reports } = given.rendering;
  const withHtml = languages.some((one) => reports[one]?.html !== undefined);
  const readmeFacts = { ...facts, fingerprint: signer.fingerprint, withHtml };
  const files = [
    text(fileNames.readme.en, readmeEn(readmeFacts)),
    text(fileNames.readme.de, readmeDe(readmeFacts)),
    ...reportFiles(given),
    ...recordFiles(given, withOriginal),
    ...mapNames.map((name) => ({ name: fileNames.heatmap(name), bytes: heatmaps[name] })),
    ...mapNames.map((name) => ({ name: fileNames.map(name), bytes: rawMaps[name] })),
    ...(facts.item.file === null ? [] : [{ name: facts.item.file, bytes: given.original }]),
  ];
  return sealBundle(files, facts, signer);
}

function toFacts(
  { examination, item }: BundleCase,
  { withOriginal, signedAt }: Pick<BundleHow, 'withOriginal' | 'signedAt'>,
): BundleFacts {
  const { format, sizeBytes, sha256, sha512, md5 } = examination.facts;
  const file = withOriginal ? fileNames.original(format) : null;
  return {
    product: `forensics ${examination.environment['forensics'] ?? 'unknown'}`,
    examinedAt: item.examinedAt.toISOString(),
    signedAt: signedAt.toISOString(),
    item: { name: item.name, sizeBytes, sha256, sha512, md5, file },
  };
}

function recordFiles(given: BundleCase, withOriginal: boolean): readonly ZipEntry[] {
  const { examination, item, trustList } = given;
  const { credentials } = examination.provenance;
  // The list against which the signer was checked, unless it has been replaced since.
  const hasList =
    trustList !== null && credentials?.trustListSha256 === sha256Of(Buffer.from(trustList));
  const isMetadataLeftOut = !withOriginal && item.withMetadata !== true;
  const { model, measured } = examination;
  return [
    json(fileNames.result, toResultRecord(examination, { isMetadataLeftOut })),
    json(fileNames.settings, toBundleSettings(given, isMetadataLeftOut)),
    json(fileNames.custody, toCustodyRecord(item)),
    json(fileNames.model, { ...model, measured }),
    ...(hasList ? [text(fileNames.trustList, trustList)] : []),
  ];
}

function reportFiles({ rendering }: BundleCase): readonly ZipEntry[] {
  const reports = languages.map((language) => {
    return { language, ...present(rendering.reports, language) };
  });
  const texts = Object.fromEntries(reports.map((report) => [report.language, report.texts]));
  return [
    ...reports.map(({ language, pdf }) => ({ name: fileNames.report(language), bytes: pdf })),
    ...reports.flatMap(({ language, html }) =>
      html === undefined ? [] : [text(fileNames.html(language), html)],
    ),
    json(fileNames.texts, texts),
  ];
}

function present<T>(reports: Readonly<Partial<Record<Language, T>>>, language: Language): T {
  const report = reports[language];
  if (report === undefined) throw new TypeError(`the report in ${language} is missing`);
  return report;
}

function json(name: string, value: unknown): ZipEntry {
  return { name, bytes: canonicalBytes(value) };
}

function text(name: string, content: string): ZipEntry {
  return { name, bytes: Buffer.from(content, 'utf8') };
}

// A case: a complete bundle of each picture, which can be verified and reproduced on its own, the list of the pictures,
// and a report on all of them. Written in pieces, because a case does not fit into memory; the list and its signature
// come last.

const string = Type.String();
const stringOrNull = orNull(string);

const recordSchema = Type.Object({
  case: string,
  pictures: Type.Array(
    Type.Object({
      analysisId: string,
      /** Original file name, which may contain any characters. */
      name: string,
      status: oneOf(statuses),
      verdict: orNull(oneOf(resultClasses)),
      /** File name of the picture's bundle, and SHA-256 of picture and manifest; null without a forensic report. */
      file: stringOrNull,
      sha256: stringOrNull,
      manifestSha256: stringOrNull,
    }),
  ),
});

/** `case.json`: every picture in the case, starting with those that need attention. */
export type CaseRecord = Wire<typeof recordSchema>;

export const parseCaseRecord = createReader(recordSchema);

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

/**
 * `add` and `seal` return the next pieces of the archive.
 *
 * @throws {ForensicsError} `conflict` from both, when the archive would exceed 4 GiB.
 */
export function openCaseBundle({ signer, signedAt, product }: CaseHow) {
  const zip = openZip(signedAt);
  const files: ReturnType<typeof listFile>[] = [];

  function add(entry: ZipEntry): readonly Uint8Array[] {
    files.push(listFile(entry));
    return zip.add(entry);
  }

  function seal({ record, reports, examinedAt }: CaseFacts) {
    const list = canonicalBytes(record);
    const readmeFacts = { name: record.case, fingerprint: signer.fingerprint, signedAt, product };
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
    const times = { examinedAt: examinedAt.toISOString(), signedAt: signedAt.toISOString() };
    const item = { name: record.case, ...digestsOf(list), file: fileNames.case };
    const signed = signList({ format: caseFormat, product, ...times, item, files }, signer);
    pieces.push(...signed.entries.flatMap(zip.add), ...zip.end().map(({ bytes }) => bytes));
    return { pieces, manifestSha256: signed.manifestSha256 };
  }

  return { add, seal };
}
