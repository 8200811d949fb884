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
  manifest: orNull(
    Type.Object({
      format: Type.String(),
      product: Type.String(),
      examinedAt: Type.String(),
      signedAt: Type.String(),
      key: Type.Object({ algorithm: Type.String(), fingerprint: Type.String() }),
      item: Type.Object({
        name: Type.String(),
        sizeBytes: Type.Integer(),
        sha256: Type.String(),
        sha512: Type.String(),
        md5: Type.String(),
        file: orNull(Type.String()),
      }),
      files: Type.Array(
        Type.Object({
          name: Type.String(),
          sizeBytes: Type.Integer(),
          sha256: Type.String(),
          packedSha256: Type.Optional(Type.String()),
        }),
      ),
    }),
  ),
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
