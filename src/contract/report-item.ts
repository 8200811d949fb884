/** What a report says about the item besides the examination itself, in the form in which a bundle stores it. */

import { Type } from 'typebox';
import { oneOf, orNull } from './common.ts';
import { measuredCondition } from './manifest.ts';
import { seenBefore } from './seen-before.ts';

const textOrNull = orNull(Type.String());
export const names = Type.Record(Type.String(), Type.String());

export const modelIdentity = Type.Object({
  id: Type.String(),
  version: Type.String(),
  /** By file name, the SHA-256 of each file of the model, in lower-case hex. */
  files: names,
});

const place = Type.Object({
  left: Type.Number(),
  top: Type.Number(),
  width: Type.Number(),
  height: Type.Number(),
});

/** The source of a picture that was not given as a separate file. */
export const origin = Type.Union([
  Type.Object({
    kind: Type.Literal('pdf'),
    name: Type.String(),
    /** SHA-256 of the PDF, lower-case hex. */
    sha256: Type.String(),
    page: Type.Integer({ minimum: 1 }),
    /** Null for the rendered page itself. */
    picture: orNull(Type.Integer({ minimum: 1 })),
    /** In millimetres. */
    place,
  }),
  Type.Object({
    kind: Type.Literal('url'),
    url: Type.String(),
    /** The addresses that the first one redirected to, in order. */
    redirects: Type.Array(Type.String()),
    /** What the server said about the file: its name, type and dates. */
    headers: names,
    /** ISO 8601. */
    fetchedAt: Type.String(),
  }),
]);

export const laboratory = Type.Object({
  name: Type.String(),
  address: Type.Array(Type.String()),
  sentences: Type.Array(Type.String()),
  /** A PNG or JPEG file in Base64; null without one. */
  logo: textOrNull,
});

/** Facts given by the person who ordered or is responsible for the report; the text may contain any characters. */
export const caseData = Type.Object({
  caseNumber: Type.Optional(Type.String()),
  exhibit: Type.Optional(Type.String()),
  examiner: Type.Optional(Type.String()),
  note: Type.Optional(Type.String()),
  laboratory: Type.Optional(laboratory),
});

/** A picture that shows the same thing, next to this one. */
export const beside = Type.Object({
  id: Type.String(),
  /** See `AlignedPictures`; in Base64, null if the original of the other picture is no longer stored. */
  jpeg: textOrNull,
  differing: Type.Integer({ minimum: 0 }),
});

/** A validation that the customer ran, cited by its id. */
export const ownValidation = Type.Object({
  id: Type.String(),
  createdAt: Type.String(),
  model: modelIdentity,
  conditions: Type.Array(Type.Omit(measuredCondition, ['longerSidePx', 'ratios'])),
});

export const reportItem = Type.Object({
  /** File name or name of the analysis, as the client gave it: any characters, any length. Never used as a path. */
  name: Type.String(),
  analysisId: textOrNull,
  /** The only time in a report but those of custody, so that the same result gives the same bytes. */
  examinedAt: Type.String(),
  /** True if the upload was replaced by other bytes after the examined copy was made. */
  isUploadReplaced: Type.Optional(Type.Boolean()),
  /** Number of retries after failures, before the run that this report describes. */
  retries: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Prints all metadata of the file as an annex. Off by default, because it may contain personal data. */
  withMetadata: Type.Optional(Type.Boolean()),
  /** Shows the error level map, which plays no part in any verdict. */
  withErrorLevel: Type.Optional(Type.Boolean()),
  caseData: Type.Optional(caseData),
  /** Pictures that the service has seen before; omitted if there are none. */
  seenBefore: Type.Optional(Type.Array(seenBefore)),
  /** Pictures that show the same thing, as many as fit into an annex; omitted if there are none. */
  beside: Type.Optional(Type.Array(beside)),
  /** Where the picture comes from, outermost first: a picture in a PDF that was fetched has both origins. */
  origins: Type.Optional(Type.Array(origin)),
  /** Error rates that the customer measured on their own pictures (`forensics validate`). */
  validation: Type.Optional(ownValidation),
});

export const custodyEvents = [
  'created',
  'received',
  'replaced_upload_noticed',
  'opened',
  'examined',
  'rendered',
  'written',
  'failed',
  'retried',
  'upgraded',
  'bundled',
  'deleted',
] as const;

export const custodyEvent = Type.Object({
  at: Type.String(),
  /** Who did it, in this program's own terms: `user 6f1c...`, `api key 2b9e...`, `service`, `operator`. */
  actor: Type.String(),
  event: oneOf(custodyEvents),
  /** What the received or created bytes are, and their SHA-256 in lower-case hex; empty if there were none. */
  hashes: Type.Array(Type.Object({ name: Type.String(), sha256: Type.String() })),
});
