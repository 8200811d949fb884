/**
 * The records of a bundle and of a case, which `write-bundle.ts` and `seal.ts` write. `result.json` contains the whole
 * examination, the contract's numbers and the evidence in words; `settings.json` and `custody.json` contain everything
 * else, besides the picture and the model, that is needed to repeat the examination.
 */

import { Type } from 'typebox';
import { oneOf, orNull, type Wire } from '../contract/common.ts';
import { custodyEvent, modelIdentity, names, reportItem } from '../contract/report-item.ts';
import { maxBundleBytes } from '../contract/verification.ts';
import { decisionStrategies, resultClasses, statuses } from '../contract/vocabulary.ts';
import { localLimits } from '../image/picture.ts';
import type { ReportItem } from '../present/report-item.ts';
import { createReader } from './bundle-format.ts';

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
export type Custody = Wire<typeof custodySchema>;

/** Null if the file does not have the form that `toBundleSettings` writes. */
export const parseSettings = createReader(settingsSchema);
export const parseCustody = createReader(custodySchema);

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

const caseSchema = Type.Object({
  case: Type.String(),
  pictures: Type.Array(
    Type.Object({
      analysisId: Type.String(),
      /** Original file name, which may contain any characters. */
      name: Type.String(),
      status: oneOf(statuses),
      verdict: orNull(oneOf(resultClasses)),
      /** File name of the picture's bundle, and SHA-256 of picture and manifest; null without a forensic report. */
      file: textOrNull,
      sha256: textOrNull,
      manifestSha256: textOrNull,
    }),
  ),
});

/** `case.json`: every picture in the case, starting with those that need attention. */
export type CaseRecord = Wire<typeof caseSchema>;

export const parseCaseRecord = createReader(caseSchema);
