/** The metadata and claims of a file, as JSON Schema of answers. Everything in it that is text comes from the file. */

import { Type } from 'typebox';
import { oneOf, orNull, statement } from './common.ts';
import {
  assurances,
  declarationPlaces,
  declaredOrigins,
  inconsistencyCodes,
} from './vocabulary.ts';

const text = orNull(Type.String());
const place = oneOf(declarationPlaces);

const declaration = Type.Object({
  origin: oneOf(declaredOrigins),
  place,
  field: Type.String(),
  value: Type.String(),
  generator: text,
  assurance: oneOf(assurances),
});

const credentials = Type.Object(
  {
    integrity: oneOf(['valid', 'broken', 'unreadable']),
    trust: oneOf(['trusted', 'untrusted', 'not-checked']),
    trustListSha256: text,
    signer: text,
    issuer: text,
    signedAt: text,
    hasTimestamp: Type.Boolean(),
    claimGenerator: text,
    actions: Type.Array(
      Type.Object({
        action: Type.String(),
        software: text,
        when: text,
        digitalSourceType: text,
      }),
    ),
    manifests: Type.Integer(),
    problems: Type.Array(Type.String()),
  },
  {
    description:
      'Content Credentials (C2PA). Whether they are whole and whether their signer is trusted are two facts.',
  },
);

const quantisation = Type.Object({
  kind: oneOf(['libjpeg', 'known-software', 'custom']),
  name: text,
  quality: orNull(Type.Number()),
});

const inconsistency = Type.Object({
  code: oneOf(inconsistencyCodes),
  statement,
  measures: Type.Record(Type.String(), Type.Number()),
});

export const provenance = Type.Object(
  {
    declarations: Type.Array(declaration),
    credentials: orNull(credentials),
    software: Type.Array(
      Type.Object({
        kind: oneOf(['generator', 'editor', 'camera', 'firmware', 'platform', 'unknown']),
        name: Type.String(),
        place,
      }),
    ),
    history: Type.Array(
      Type.Object({ action: Type.String(), software: text, when: text, parameters: text }),
      { description: 'The steps that editing programs recorded in XMP, oldest first.' },
    ),
    quantisation: orNull(quantisation),
    inconsistencies: Type.Array(inconsistency),
    layout: Type.Object({
      trailingBytes: Type.Integer(),
      trailingKind: text,
      pictures: Type.Integer(),
    }),
    warnings: Type.Array(Type.String()),
  },
  {
    description:
      'What the file says of itself. Anybody can write it unless a trusted signer vouches for it; what is missing says nothing.',
  },
);
