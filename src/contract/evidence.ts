/** `result.evidence` as JSON Schema, for responses: it rejects nothing. All text in `provenance` is from the file. */

import { Type } from 'typebox';
import { described, share, oneOf, orNull, statement, type Wire, object, list } from './common.ts';
import {
  assurances,
  decisionBases,
  decisionStrategies,
  declarationPlaces,
  declaredOrigins,
  inconsistencyCodes,
  notCheckedIds,
  reasonCodes,
  resultClasses,
  sides,
  stabilityChanges,
  strengths,
} from './vocabulary.ts';

const ratio = Type.Number({ minimum: 1, description: 'A likelihood ratio.' });
const strength = oneOf(strengths);

const finding = Type.Object({
  method: Type.String(),
  speaksFor: oneOf(sides),
  strength,
  score: share('How strongly the method indicates fake; 0.5 is neutral.'),
  statement,
  measures: Type.Record(Type.String(), Type.Number()),
  source: described('Paper or standard that the method comes from.'),
});

const stability = Type.Object({
  holds: Type.Boolean({ description: 'False if a change would flip the verdict.' }),
  statement,
  trials: Type.Array(
    Type.Object({
      change: oneOf(stabilityChanges),
      label: statement,
      fakeProbability: share(),
      isFlip: Type.Boolean(),
    }),
  ),
});

const pixels = Type.Integer({ minimum: 0 });

const region = object('A part that is marked as changed, in pixels of the upright picture.', {
  left: pixels,
  top: pixels,
  width: pixels,
  height: pixels,
  share: share('Marked share of the picture.'),
});

const manipulation = object(
  'Combined result of the methods that look for changed parts. Null for an examination from an earlier version.',
  {
    statement,
    probability: share('Calibrated probability that something in the picture was changed.'),
    region: orNull(region),
    methods: list('Methods that indicate a change on their own, even weakly.', Type.String()),
    places: Type.Optional(
      list(
        'Every marked part, numbered in order from 1, with the methods that mark it on their own; `region` is the first.',
        Type.Object({ region, methods: Type.Array(Type.String()) }),
      ),
    ),
    isOfDamage: Type.Optional(
      Type.Boolean({
        description: 'True if every marked part lies where the file is damaged; otherwise absent.',
      }),
    ),
  },
);

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

const credentials = object(
  'Content Credentials (C2PA). Integrity and trust in the signer are separate facts.',
  {
    // `valid`: signature and hashes match the bytes of this file. `unreadable`: the store cannot be parsed.
    integrity: oneOf(['valid', 'broken', 'unreadable']),
    // `not-checked`: there is no trust list. The list's digest follows, because administrators update their lists.
    trust: oneOf(['trusted', 'untrusted', 'not-checked']),
    trustListSha256: text,
    trustListSince: Type.Optional(
      orNull(
        described(
          'Date on which the newest certificate in the trust list became valid; the list is no older than that.',
        ),
      ),
    ),
    signer: text,
    issuer: text,
    signedAt: text,
    // Whether there is a valid countersignature by a time-stamp authority.
    hasTimestamp: Type.Boolean(),
    claimGenerator: text,
    actions: Type.Array(
      Type.Object({ action: Type.String(), software: text, when: text, digitalSourceType: text }),
    ),
    // Number of manifests, including the active one and those of ingredients.
    manifests: Type.Integer(),
    problems: Type.Array(Type.String()),
    authority: Type.Optional(text),
    validity: Type.Optional(orNull(Type.Object({ from: Type.String(), to: Type.String() }))),
    codes: Type.Optional(list('C2PA status codes of the active manifest.', Type.String())),
    ingredientProblems: Type.Optional(Type.Array(Type.String())),
    identities: Type.Optional(
      list(
        'People and organisations involved in the picture, from CAWG identity assertions.',
        Type.Object({
          name: text,
          provider: text,
          // `signed`: valid, but no authority vouches for it. `not-verified`: this would need a connection.
          state: oneOf(['trusted', 'signed', 'broken', 'not-verified']),
        }),
      ),
    ),
  },
);

const quantisation = Type.Object({
  // `libjpeg`: scaled standard tables, with their quality. `known-software`: from a known program or camera family.
  kind: oneOf(['libjpeg', 'known-software', 'custom']),
  name: text,
  quality: orNull(Type.Number()),
});

const inconsistency = Type.Object({
  code: oneOf(inconsistencyCodes),
  statement,
  measures: Type.Record(Type.String(), Type.Number()),
});

const provenance = object(
  'What the file states about itself. Anyone can write this unless a trusted signer vouches for it; absence proves nothing.',
  {
    declarations: Type.Array(declaration),
    credentials: orNull(credentials),
    software: Type.Array(
      Type.Object({
        // `firmware`: software running on the camera or phone itself, such as an iOS version.
        kind: oneOf(['generator', 'editor', 'camera', 'firmware', 'platform', 'unknown']),
        name: Type.String(),
        place,
      }),
    ),
    history: list(
      'The steps that editing programs recorded in XMP, oldest first.',
      Type.Object({ action: Type.String(), software: text, when: text, parameters: text }),
    ),
    quantisation: orNull(quantisation),
    inconsistencies: Type.Array(inconsistency),
    layout: Type.Object({
      // Number of bytes after the end of the picture, and their format by its signature; null if it is unknown.
      trailingBytes: Type.Integer(),
      trailingKind: text,
      // Number of pictures, including the main one but not EXIF thumbnails.
      pictures: Type.Integer(),
    }),
    warnings: Type.Array(Type.String()),
  },
);

export type Evidence = Wire<typeof evidence>;
export const evidence = Type.Object(
  {
    basis: oneOf(decisionBases),
    byTraces: orNull(
      object(
        'If the decision is based on something else: the outcome that the traces of the whole picture alone would have given.',
        { resultClass: oneOf(resultClasses), reasons: Type.Array(oneOf(reasonCodes)) },
      ),
    ),
    strength: {
      ...strength,
      description:
        'How strongly the basis of the decision supports the class; none if nothing was decided.',
    },
    ratio: orNull(
      Type.Number({
        minimum: 1,
        description:
          'The likelihood ratio behind strength; null if undecided, declared, or never measured.',
      }),
    ),
    statement,
    weighed: Type.Optional(
      list(
        'For each question separately, whatever was decided: the likelihood ratio for the indicated side, below 2 for neither. Empty if it has no tested meaning.',
        Type.Object({
          question: oneOf(['generated', 'changed']),
          side: oneOf(['fake', 'real']),
          ratio: orNull(Type.Number({ minimum: 1 })),
          strength,
          statement,
        }),
      ),
    ),
    cap: orNull(
      object(
        'The most that the measured error rates support; null if nothing was decided, or if the traces of the whole picture did not decide it.',
        {
          ratio,
          strategy: orNull(oneOf(decisionStrategies)),
          condition: orNull(described('The measured condition.')),
          statement,
        },
      ),
    ),
    errorRate: orNull({
      ...statement,
      description:
        'How often such results were wrong in tests, and how much the method finds; null if it has no tested meaning.',
    }),
    changesFound: Type.Optional(
      orNull(
        object('Changed test pictures of about this size and quality; null if not measured.', {
          found: Type.Integer({ minimum: 0 }),
          of: Type.Integer({ minimum: 1 }),
        }),
      ),
    ),
    findings: list('Strongest first.', finding),
    skipped: Type.Array(Type.Object({ method: Type.String(), reason: statement })),
    reasons: list(
      'Why nothing was decided, and what would help.',
      Type.Object({ code: oneOf(reasonCodes), statement, help: statement }),
    ),
    stability: orNull(stability),
    manipulation: orNull(manipulation),
    provenance,
    notChecked: list(
      'What was not examined. Saying nothing about these is not an all-clear.',
      Type.Object({ id: oneOf(notCheckedIds), statement }),
    ),
  },
  {
    $id: 'Evidence',
    description:
      'The evidence for and against, and its strength. Strengths are ranges of the likelihood ratio: none below 2, weak up to 10, moderate up to 100, moderatelyStrong up to 1,000, strong up to 10,000, and veryStrong above that (ENFSI guideline for evaluative reporting, 2015).',
  },
);
