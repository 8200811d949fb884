/**
 * The contract's Analysis as JSON Schema: fields of requests and responses.
 *
 * Unknown members are rejected inside `options`, where a typo would silently change what is examined and billed;
 * elsewhere they are ignored, so that clients written for a later version keep working.
 */

import { Type } from 'typebox';
import {
  dateTime,
  described,
  eachLanguage,
  list,
  object,
  objectId,
  oneOf,
  orNull,
  queriedTime,
  responseWith,
  share,
  succeeded,
  tenantName,
  visibleText,
  type Wire,
} from './common.ts';
import { type Evidence, evidence } from './evidence.ts';
import {
  actorTypes,
  contractFormats,
  decisionStrategies,
  defaultSeed,
  type Format,
  formats,
  resultClasses,
  statuses,
  storageTypes,
  tiers,
} from './vocabulary.ts';
import {
  maxCaseDataLength,
  maxCommentLength,
  maxListed,
  maxSidePx,
  maxThumbnails,
  minSidePx,
} from './limits.ts';

export type GivenOptions = Wire<typeof givenOptions>;
export const givenOptions = Type.Partial(
  Type.Object({
    model: Type.String({ minLength: 1, maxLength: 128, description: 'Default: the latest.' }),
    decisionStrategy: oneOf(decisionStrategies),
    tier: oneOf(tiers),
    seed: Type.Integer({
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      default: defaultSeed,
    }),
  }),
  { additionalProperties: false },
);

function sideUpTo(maximum: number) {
  return Type.Integer({
    minimum: minSidePx,
    maximum,
    description:
      'In pixels, before or after EXIF rotation. Heatmaps have the same size and, if before, the same EXIF orientation.',
    ...(maximum === maxSidePx && opened),
  });
}

/** Marks what the setting `intake: everything` permits. */
const opened = { 'x-setting': 'intake' } as const;

const tenantNameExample = 'default';
const idExample = '65f1c0ffee0123456789abcd';

export type CaseData = Wire<typeof caseData>;
const line = Type.String({ minLength: 1, maxLength: maxCaseDataLength });
const caseData = Type.Object(
  { exhibit: Type.Optional(line), examiner: Type.Optional(line) },
  { additionalProperties: false, description: 'Printed on the reports, besides the case.' },
);

const description = {
  comment: Type.Optional(Type.String({ maxLength: maxCommentLength })),
  // Limited only by the size of the body.
  tags: Type.Optional(list('Empty tags are left out.', Type.String())),
  projectId: Type.Optional(orNull(described('The case. An empty string means none, like null.'))),
  caseData: Type.Optional(orNull(caseData)),
};

export type CreateRequest = Omit<Wire<typeof createBody>, 'tenantName'>;
export const createBody = createBodyUpTo(maxSidePx, contractFormats);

/** @param largestSide - maximum width and height in pixels. @param taken - accepted formats. */
export function createBodyUpTo(largestSide: number, taken: readonly Format[]) {
  return Type.Object(
    {
      tenantName,
      name: visibleText(),
      type: oneOf(['image']),
      input: Type.Object({
        format: { ...oneOf(taken), ...(taken === contractFormats && opened) },
        version: oneOf(['v1']),
        width: sideUpTo(largestSide),
        height: sideUpTo(largestSide),
        filename: Type.String({ minLength: 1 }),
        storageUrls: Type.Optional(
          Type.Unknown({ description: 'Ignored: the service generates them.' }),
        ),
        options: givenOptions,
      }),
      ...description,
    },
    {
      examples: [
        {
          tenantName: tenantNameExample,
          name: 'Claim 4711',
          type: 'image',
          input: {
            format: 'jpg',
            version: 'v1',
            width: 1920,
            height: 1080,
            filename: 'car.jpg',
            options: { tier: 'forensicReporting' },
          },
          tags: ['claims'],
        },
      ],
    },
  );
}

export const listQuery = Type.Object({
  tenantName,
  id: Type.Optional(objectId),
  searchTerm: Type.Optional(
    Type.String({
      maxLength: maxCommentLength,
      description:
        'Part of the name, comment, case, exhibit, examiner, a tag or the name of the user who last changed it, in upper or lower case.',
    }),
  ),
  verdict: Type.Optional(oneOf(resultClasses)),
  status: Type.Optional(oneOf(statuses)),
  tag: Type.Optional(Type.String({ minLength: 1, description: 'One complete tag.' })),
  projectId: Type.Optional(
    Type.String({ minLength: 1, description: 'Only analyses of this case.' }),
  ),
  createdFrom: queriedTime('Inclusive; a date means its start.'),
  createdTo: queriedTime('Exclusive; a date means its start.'),
  start: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: maxListed,
      description: `At most ${maxListed} are returned at once: \`x-total-count\` gives the total number, and \`start\` continues from there.`,
    }),
  ),
});

/** Comment, tags, project and case data of an analysis; absent fields stay as they are. */
export type Description = Wire<typeof describedOnly>;
const describedOnly = Type.Object(description);

export const describeBody = Type.Object(
  { id: objectId, tenantName, ...description },
  {
    examples: [
      { id: idExample, tenantName: tenantNameExample, comment: 'Left mirror', projectId: '4711' },
    ],
  },
);

export const thumbnailsQuery = Type.Object({
  tenantName,
  ids: Type.String({
    minLength: 1,
    // An id has 24 characters.
    maxLength: maxThumbnails * 25,
    description: `Ids of up to ${maxThumbnails} analyses, separated by commas.`,
  }),
});
export const thumbnailsResponse = responseWith(
  Type.Array(Type.Object({ id: Type.String(), jpeg: described('A JPEG file in Base64.') })),
);

export const idBody = Type.Object(
  { id: objectId, tenantName },
  { examples: [{ id: idExample, tenantName: tenantNameExample }] },
);
export const retryBody = Type.Object(
  { id: objectId, tenantName, options: givenOptions },
  {
    examples: [
      { id: idExample, tenantName: tenantNameExample, options: { tier: 'forensicReporting' } },
    ],
  },
);

export type StorageUrls = Wire<typeof storageUrls>;
const storageUrls = Type.Object(
  {
    type: oneOf(storageTypes),
    objectKey: Type.String(),
    putUrl: described(
      'Upload here with PUT; if type is azure, send the header x-ms-blob-type: BlockBlob.',
    ),
    getUrl: Type.String(),
    deleteUrl: Type.String(),
    expiresAt: dateTime,
  },
  { $id: 'StorageUrls' },
);

const score = share();
const scores = Type.Object({ real: score, fake: score, compression: score });
const urls = Type.Unsafe<StorageUrls>(Type.Ref('StorageUrls#'));

const reportEntry = Type.Object({
  pdfStorageUrls: urls,
  summary: Type.String(),
  forensic: Type.String(),
  heatmapIntro: Type.String(),
  heatmap: Type.Object({
    real: Type.String(),
    fake: Type.String(),
    compressed: Type.String(),
    anomaly: Type.String(),
  }),
  conclusion: Type.String(),
});

const result = object(
  'With the flagging tier, every member except the two classes is null. Lists omit evidence: to get it, read the analysis by its id.',
  {
    resultClass: Type.Integer({
      minimum: 0,
      maximum: 3,
      description: '0 real, 1 fake, 2 abstain, 3 uncertain',
    }),
    resultSubClasses: list(
      '0 ai-generated, 1 ai-manipulated, 2 manipulated',
      Type.Integer({ minimum: 0, maximum: 2 }),
    ),
    predictions: orNull(scores),
    classUncertainties: orNull(
      Type.Object({ real: Type.Number(), fake: Type.Number(), compression: Type.Number() }),
    ),
    classSimilarities: orNull(
      Type.Object({ realCompressed: Type.Number(), fakeCompressed: Type.Number() }),
    ),
    anomaly: orNull(
      Type.Object({
        score: orNull(score),
        numCluster: orNull(Type.Integer()),
        giniCoeff: orNull(score),
      }),
    ),
    heatmaps: orNull(
      Type.Object({
        realHeatmapStorageUrls: urls,
        fakeHeatmapStorageUrls: urls,
        compressionHeatmapStorageUrls: urls,
        anomalyHeatmapStorageUrls: urls,
      }),
    ),
    report: orNull(Type.Object(eachLanguage(reportEntry))),
    evidence: Type.Optional(orNull(Type.Unsafe<Evidence>(Type.Ref('Evidence#')))),
  },
);

export type Analysis = Wire<typeof analysis>;
const analysis = Type.Object(
  {
    id: Type.String(),
    tenantId: Type.String(),
    projectId: orNull(Type.String()),
    name: Type.String(),
    storageType: oneOf(storageTypes),
    type: oneOf(['image']),
    input: Type.Object({
      format: oneOf(formats),
      version: oneOf(['v1']),
      width: Type.Integer(),
      height: Type.Integer(),
      filename: Type.String(),
      storageUrls: urls,
      options: Type.Object({
        model: Type.String(),
        decisionStrategy: oneOf(decisionStrategies),
        tier: oneOf(tiers),
        seed: Type.Integer(),
      }),
    }),
    inferenceStatus: Type.Object({
      type: oneOf(['image']),
      version: Type.String(),
      status: oneOf(statuses),
      statusMessage: Type.String(),
      failure: Type.Optional(
        object('The reason in statusMessage for programs; where it failed and is known.', {
          code: Type.String(),
          values: Type.Unsafe<object>({
            type: 'object',
            additionalProperties: { anyOf: [{ type: 'string' }, { type: 'number' }] },
          }),
        }),
      ),
      retryCount: Type.Integer(),
      processingStartTime: orNull(dateTime),
      processingFinishTime: orNull(dateTime),
      result: Type.Optional(result),
    }),
    comment: Type.String(),
    tags: Type.Array(Type.String()),
    caseData: orNull(caseData),
    createdDate: dateTime,
    updatedDate: orNull(dateTime),
    deletedDate: orNull(dateTime),
    createdByUserId: orNull(Type.String()),
    lastChangedByUserType: orNull(oneOf(actorTypes)),
    lastChangedByUserId: orNull(Type.String()),
    lastChangedByUserName: orNull(Type.String()),
    tierUpgradedFrom: orNull(oneOf(tiers)),
    tierUpgradedAt: orNull(dateTime),
  },
  { $id: 'Analysis' },
);

export type AnalysisOptions = Analysis['input']['options'];
export type InferenceStatus = Analysis['inferenceStatus'];
export type AnalysisResult = NonNullable<InferenceStatus['result']>;
export type HeatmapUrls = NonNullable<AnalysisResult['heatmaps']>;
export type ReportEntry = Wire<typeof reportEntry>;

/** Registered by name, so that the OpenAPI document defines each of them once. */
export const analysisComponents = [storageUrls, evidence, analysis];

const data = Type.Unsafe<readonly Analysis[]>({ type: 'array', items: { $ref: 'Analysis#' } });
export const analysisResponse = responseWith(data);
export const analysisListResponse = Type.Object(
  {
    ...succeeded.properties,
    data,
    total: Type.Integer({ description: 'Entries in this response.' }),
    startIndex: Type.Integer(),
    endIndex: Type.Integer({ description: 'One past the last entry.' }),
  },
  {
    headers: {
      'x-total-count': Type.Integer({ description: 'Number of all matches.' }),
      'x-one-camera-count': Type.Integer({
        description:
          'With `projectId`: the largest number of pictures in the case whose files name the same camera body.',
      }),
    },
  },
);
