/**
 * Writes the evidence bundle of one examined picture. It decides which files go in and under which names; `seal.ts` makes
 * the bundle tamper-evident. It knows nothing about tenants, stores or clocks.
 */

import { Type } from 'typebox';
import { oneOf, orNull, type Wire } from '../contract/common.ts';
import { custodyEvent, modelIdentity, names, reportItem } from '../contract/report-item.ts';
import { decisionStrategies, languages, resultClasses } from '../contract/vocabulary.ts';
import { type Examination, mapNames, toResultFields } from '../detectors/result.ts';
import { localLimits } from '../image/picture.ts';
import { writeEvidence } from '../present/evidence.ts';
import type { ReportItem } from '../present/report-item.ts';
import {
  type BundleCase,
  canonicalBytes,
  createReader,
  fileNames,
  sha256Of,
  type ZipEntry,
} from './bundle-format.ts';
import { readmeDe, readmeEn } from './readme.ts';
import { type BundleFacts, present, sealBundle, type SealedBundle, text } from './seal.ts';
import type { Signer } from './sign.ts';
import { maxBundleBytes } from '../contract/verification.ts';

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

// The records of a bundle: `result.json` contains the whole examination, the contract's numbers and the evidence in
// words; `settings.json` and `custody.json` contain everything else, besides the picture and the model, that is needed to
// repeat the examination.

const textOrNull = orNull(Type.String());
const identity = Type.Object({ id: Type.String(), version: Type.String() });

/** Codes with values; in bundles from earlier versions, complete sentences. */
const warnings = Type.Optional(Type.Array(Type.Unknown()));

/** Only the fields that readers of bundles need; the others are compared without a schema. */
const resultSchema = Type.Object({
  verdict: oneOf(resultClasses),
  examination: Type.Object({
    facts: Type.Object({
      format: Type.String(),
      sizeBytes: Type.Integer(),
      sha256: Type.String(),
      sha512: Type.String(),
      md5: Type.String(),
      width: Type.Integer(),
      height: Type.Integer(),
      storedWidth: Type.Integer(),
      storedHeight: Type.Integer(),
      metadata: Type.Optional(Type.Object({ warnings })),
    }),
    options: Type.Object({ decisionStrategy: Type.String(), seed: Type.Integer() }),
    passes: Type.Integer(),
    model: identity,
    locator: Type.Optional(orNull(identity)),
    decision: Type.Object({ resultClass: Type.String() }),
    provenance: Type.Object({
      warnings,
      credentials: orNull(Type.Object({ trustListSha256: Type.Optional(textOrNull) })),
    }),
    findings: Type.Array(Type.Object({ statement: Type.Unknown() })),
    maps: Type.Object({ columns: Type.Integer(), rows: Type.Integer() }),
    environment: Type.Record(Type.String(), Type.String()),
  }),
});

export type ResultRecord = Wire<typeof resultSchema>;

/** Null if the file does not have the form that `toResultRecord` writes. */
export const parseResult = createReader(resultSchema);

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

const side = Type.Integer({ minimum: 1, maximum: localLimits.maxSidePx });

const settingsSchema = Type.Object({
  model: modelIdentity,
  /** The localisation model; absent in bundles from earlier versions. */
  locator: Type.Optional(modelIdentity),
  decisionStrategy: oneOf(decisionStrategies),
  seed: Type.Integer(),
  passes: Type.Integer(),
  limits: Type.Object({
    minSidePx: side,
    maxSidePx: side,
    /** Absent in bundles from earlier versions. */
    maxPixels: Type.Optional(Type.Integer({ minimum: 1, maximum: localLimits.maxPixels })),
    maxBytes: Type.Integer({ minimum: 1, maximum: maxBundleBytes }),
  }),
  /** Versions and processor; another run must match them to give identical bytes. */
  environment: names,
  openedAs: textOrNull,
  heatmapSize: orNull(Type.Object({ width: side, height: side })),
  /** Whether the file's metadata was left out of `result.json`. */
  isMetadataLeftOut: Type.Boolean(),
  item: reportItem,
});

const custodySchema = Type.Array(custodyEvent);

export type BundleSettings = Wire<typeof settingsSchema>;
type Custody = Wire<typeof custodySchema>;

/** Null if the file does not have the form that `toBundleSettings` writes. */
export const parseSettings = createReader(settingsSchema);
export const parseCustody = createReader(custodySchema);

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

/** Restores the item that was passed to rendering. An empty custody means that none was recorded. */
export function readItem({ item }: BundleSettings, custody: Custody): ReportItem {
  const { validation, examinedAt, ...rest } = item;
  const events = custody.map((event) => ({ ...event, at: new Date(event.at) }));
  return {
    ...rest,
    examinedAt: new Date(examinedAt),
    ...(validation && { validation: { ...validation, createdAt: new Date(validation.createdAt) } }),
    ...(events.length > 0 && { custody: events }),
  };
}
