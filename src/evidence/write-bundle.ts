/**
 * Writes the evidence bundle of one examined picture. It decides which files go in and under which names; `sign.ts`
 * makes the bundle tamper-evident. It knows nothing about tenants, stores or clocks.
 */

import { languages } from '../contract/vocabulary.ts';
import { mapNames } from '../engine/result.ts';
import { type BundleCase, canonicalBytes, fileNames, type ZipEntry } from './bundle-format.ts';
import { readmeDe, readmeEn } from './readme.ts';
import { toResultRecord, toCustodyRecord, toBundleSettings } from './records.ts';
import { type BundleFacts, sealBundle, type SealedBundle, sha256Of, type Signer } from './sign.ts';

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
    record(fileNames.result, toResultRecord(examination, { isMetadataLeftOut })),
    record(fileNames.settings, toBundleSettings(given, isMetadataLeftOut)),
    record(fileNames.custody, toCustodyRecord(item)),
    record(fileNames.model, { ...model, measured }),
    ...(hasList ? [text(fileNames.trustList, trustList)] : []),
  ];
}

function reportFiles({ rendering }: BundleCase): readonly ZipEntry[] {
  const reports = languages.map((language) => {
    const report = rendering.reports[language];
    if (report === undefined) throw new TypeError(`the report in ${language} is missing`);
    return { language, ...report };
  });
  const texts = Object.fromEntries(reports.map((report) => [report.language, report.texts]));
  return [
    ...reports.map(({ language, pdf }) => ({ name: fileNames.report(language), bytes: pdf })),
    ...reports.flatMap(({ language, html }) =>
      html === undefined ? [] : [text(fileNames.html(language), html)],
    ),
    record(fileNames.texts, texts),
  ];
}

function record(name: string, value: unknown): ZipEntry {
  return { name, bytes: canonicalBytes(value) };
}

function text(name: string, content: string): ZipEntry {
  return { name, bytes: Buffer.from(content, 'utf8') };
}
