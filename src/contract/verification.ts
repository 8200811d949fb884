/** Custody and the results of verifying a bundle: responses only. */

import { Type } from 'typebox';
import {
  described,
  responseWith,
  ofOne,
  oneOf,
  orNull,
  tenantName,
  type Wire,
  list,
} from './common.ts';
import { languages } from './vocabulary.ts';

export const reportQuery = Type.Object({
  ...ofOne.properties,
  language: Type.Optional({ ...oneOf(languages), default: 'en' }),
  format: Type.Optional({ ...oneOf(['html', 'pdf']), default: 'html' }),
});
export const caseQuery = Type.Object({
  tenantName,
  projectId: Type.String({ minLength: 1, description: 'The case.' }),
});
export const caseReportQuery = Type.Object({
  ...caseQuery.properties,
  language: reportQuery.properties.language,
});

const custodyStep = Type.Object({
  at: Type.String({ format: 'date-time' }),
  actor: described('Type and id: a user, an API key, or the service.'),
  actorName: orNull(described('Name of the user or key; null if it has none.')),
  event: Type.String(),
  hashes: Type.Array(Type.Object({ name: Type.String(), sha256: Type.String() })),
});
export type CustodyStep = Wire<typeof custodyStep>;
export const custodyResponse = responseWith(
  list(
    'From the audit log, oldest first, with the times and hashes of inputs and outputs.',
    custodyStep,
  ),
);

// The signed list of a bundle: name, size and SHA-256 of every other file in it, the item, and the signing key.

export const bundleFormat = 'forensics-evidence-bundle/3';
/** In this version, nothing in the archive was compressed. */
const storedBundleFormat = 'forensics-evidence-bundle/2';
/** In this version, heatmaps used more colours and raw maps had a value for each pixel. */
export const firstBundleFormat = 'forensics-evidence-bundle/1';

/** Format of a case archive, which contains the complete bundle of each picture. Its item is the list of pictures. */
export const caseFormat = 'forensics-case-bundle/1';

/** More than needed for the largest picture that can be examined. */
export const maxBundleBytes = 1_000_000_000;
export const maxBundleFiles = 64;
export const maxCasePictures = 1000;

const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const sha512 = Type.String({ pattern: '^[0-9a-f]{128}$' });
const md5 = Type.String({ pattern: '^[0-9a-f]{32}$' });
const time = Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` });
const size = Type.Integer({ minimum: 0, maximum: maxBundleBytes });
const fileName = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9.-]{0,63}$' });

export const manifestSchema = Type.Object(
  {
    format: oneOf([bundleFormat, storedBundleFormat, firstBundleFormat, caseFormat]),
    /** Version of the program that wrote the bundle. */
    product: Type.String(),
    /** When the picture was examined, and when the bundle was signed, by the clock of the signing machine. */
    examinedAt: time,
    signedAt: time,
    key: Type.Object({ algorithm: Type.Literal('Ed25519'), fingerprint: sha256 }),
    item: Type.Object({
      /** Original file name, which may contain any characters. */
      name: Type.String(),
      sizeBytes: size,
      sha256,
      sha512,
      md5,
      /** Null if the picture was left out. */
      file: orNull(fileName),
    }),
    files: Type.Array(
      Type.Object({
        name: fileName,
        sizeBytes: size,
        sha256,
        /** SHA-256 of the compressed bytes in the archive; absent if the file is not compressed. */
        packedSha256: Type.Optional(sha256),
      }),
      { maxItems: maxCasePictures + maxBundleFiles },
    ),
  },
  { additionalProperties: false },
);

export type Verification = Wire<typeof verification>;
const verification = Type.Object({
  holds: Type.Boolean({ description: 'True if there are no problems.' }),
  problems: Type.Array(
    Type.Object({ kind: Type.String(), file: orNull(Type.String()), message: Type.String() }),
  ),
  key: orNull(
    Type.Object({
      fingerprint: Type.String(),
      isOwn: Type.Boolean({
        description:
          'Whether it is, or was, a key of this service. Otherwise, anyone could have signed it.',
      }),
    }),
  ),
  /** The signed list; null if it cannot be trusted. */
  manifest: orNull(manifestSchema),
  /** Null if the result cannot be read or was changed. */
  verdict: orNull(Type.String()),
  pictures: Type.Optional(
    list(
      'Only for a case bundle: the bundles in it.',
      Type.Object({
        file: Type.String(),
        name: orNull(Type.String()),
        verdict: orNull(Type.String()),
        holds: Type.Boolean(),
      }),
    ),
  ),
});
export const verificationResponse = responseWith(verification);
