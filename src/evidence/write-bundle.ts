/** Decides which files go into the bundle of one picture, and under which names. Knows no tenants, stores or clocks. */

import { languages } from '../contract/vocabulary.ts';
import { type Examination, mapNames, toResultFields } from '../detectors/result.ts';
import { writeEvidence } from '../present/evidence.ts';
import {
  type BundleCase,
  canonicalBytes,
  fileNames,
  sha256Of,
  type ZipEntry,
} from './bundle-format.ts';
import { readmeDe, readmeEn } from './readme.ts';
import type { BundleSettings, Custody } from './records.ts';
import { type BundleFacts, present, sealBundle, type SealedBundle, text } from './seal.ts';
import type { Signer } from './sign.ts';

interface BundleHow {
  /** If false, only heatmaps and reports show the picture, and metadata is included only if the item asks for it. */
  readonly withOriginal: boolean;
  readonly signer: Signer;
  readonly signedAt: Date;
}

/** The same input always gives the same bytes. @throws {TypeError} when the rendering lacks a language. */
export function writeBundle(
  given: BundleCase,
  { withOriginal, signer, signedAt }: BundleHow,
): SealedBundle {
  const { examination, item } = given;
  const { format, sizeBytes, sha256, sha512, md5 } = examination.facts;
  const file = withOriginal ? fileNames.original(format) : null;
  const facts: BundleFacts = {
    product: `forensics ${examination.environment['forensics'] ?? 'unknown'}`,
    examinedAt: item.examinedAt.toISOString(),
    signedAt: signedAt.toISOString(),
    item: { name: item.name, sizeBytes, sha256, sha512, md5, file },
  };
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
    ...(file === null ? [] : [{ name: file, bytes: given.original }]),
  ];
  return sealBundle(files, facts, signer);
}

function recordFiles(given: BundleCase, withOriginal: boolean): readonly ZipEntry[] {
  const { examination, item, trustList } = given;
  const { credentials } = examination.provenance;
  // The list against which the signer was checked, unless it has been replaced since.
  const hasList =
    trustList !== null && credentials?.trustListSha256 === sha256Of(Buffer.from(trustList));
  const isMetadataLeftOut = !withOriginal && item.withMetadata !== true;
  const { model, measured } = examination;
  const custody = (item.custody ?? []).map((event) => ({ ...event, at: event.at.toISOString() }));
  return [
    json(fileNames.result, toResultRecord(examination, { isMetadataLeftOut })),
    json(fileNames.settings, toBundleSettings(given, isMetadataLeftOut)),
    json(fileNames.custody, custody satisfies Custody),
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

function json(name: string, value: unknown): ZipEntry {
  return { name, bytes: canonicalBytes(value) };
}

export function toResultRecord(
  examination: Examination,
  { isMetadataLeftOut }: { readonly isMetadataLeftOut: boolean },
) {
  const { facts } = examination;
  // A bundle without the picture should not reveal all of its metadata; the summary in every report remains.
  const metadata = { ...facts.metadata, exif: {}, xmp: {}, iptc: {}, pngText: {}, comment: null };
  return {
    verdict: examination.decision.resultClass,
    result: toResultFields(examination, 'forensicReporting'),
    evidence: writeEvidence(examination),
    examination: { ...examination, facts: isMetadataLeftOut ? { ...facts, metadata } : facts },
  };
}

function toBundleSettings(given: BundleCase, isMetadataLeftOut: boolean): BundleSettings {
  const { examination, openedAs, heatmapSize, limits } = given;
  const { options, model, locator, passes, environment } = examination;
  const { custody: _ofItsOwnFile, heatmapOrientation: _follows, validation, ...item } = given.item;
  return {
    model,
    ...(locator && { locator }),
    ...options,
    passes,
    limits,
    environment,
    openedAs,
    heatmapSize,
    isMetadataLeftOut,
    item: {
      ...item,
      examinedAt: item.examinedAt.toISOString(),
      ...(validation && {
        validation: { ...validation, createdAt: validation.createdAt.toISOString() },
      }),
    },
  };
}
