/** `/v1/analysis`: reads the request, calls one act, shapes the answer. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Static } from 'typebox';
import type { App } from '../../service/app.ts';
import {
  analysisAnswer,
  analysisListAnswer,
  type createBody,
  createBodyUpTo,
  describeBody,
  idBody,
  listQuery,
  retryBody,
  thumbnailsAnswer,
  thumbnailsQuery,
} from '../../contract/analysis.ts';
import { succeeded } from '../../contract/common.ts';
import { seenBeforeAnswer, seenBeforeQuery } from '../../contract/seen-before.ts';
import type { Limits } from '../../image/picture.ts';
import type { ErrorCode } from '../../errors.ts';
import { success } from '../answers.ts';
import { requireCaller } from '../authenticate.ts';
import { longBodyLimitBytes } from '../bodies.ts';
import { operation, repeatable } from '../openapi-answers.ts';

/** Accepts an upload. */
const pictureFailures = [
  'upload_missing',
  'image_empty',
  'image_not_supported',
  'image_unreadable',
  'image_too_small',
  'image_too_large',
  'image_too_many_bytes',
  'image_not_as_declared',
  'trial_image_mismatch',
  'store_refused',
  'store_unavailable',
  'no_space_left',
] as const satisfies readonly ErrorCode[];

export const analysisRoutes: FastifyPluginAsyncTypebox<Pick<App, 'analyses'>> = async (
  server,
  { analyses },
) => {
  server.get('/v1/analysis', listAnalyses, async (request, reply) => {
    const { id, tenantName: _checked, ...query } = request.query;
    if (id !== undefined) {
      const found = await analyses.get(requireCaller(request), id);
      void reply.header('x-total-count', 1);
      return { ...success([found]), total: 1, startIndex: 0, endIndex: 1 };
    }
    const page = await analyses.list(requireCaller(request), query);
    const { total, startIndex, endIndex, totalCount } = page;
    void reply.header('x-total-count', totalCount);
    return { ...success(page.analyses), total, startIndex, endIndex };
  });

  server.get('/v1/analysis/seen-before', listSeenBefore, async (request) =>
    success([...(await analyses.seenBefore(requireCaller(request), request.query.id))]),
  );

  server.post('/v1/analysis', createAnalysis(analyses.limits), async (request) => {
    return success([await analyses.create(requireCaller(request), known(request.body))]);
  });

  server.put('/v1/analysis', describeAnalysis, async (request) => {
    const { id, comment, tags, projectId } = request.body;
    const given = Object.entries({ comment, tags, projectId }).filter(([, it]) => it !== undefined);
    const description = Object.fromEntries(given);
    return success([await analyses.describe(requireCaller(request), id, description)]);
  });

  server.get('/v1/analysis/thumbnails', listThumbnails, async (request) =>
    success([...(await analyses.thumbnails(requireCaller(request), request.query.ids.split(',')))]),
  );

  server.delete('/v1/analysis', deleteAnalysis, async (request) => {
    await analyses.remove(requireCaller(request), request.body.id);
    return success();
  });

  server.post('/v1/analysis/start', startAnalysis, async (request) => {
    await analyses.start(requireCaller(request), request.body.id);
    return success();
  });

  server.post('/v1/analysis/retry', retryAnalysis, async (request) => {
    const { id, options } = request.body;
    return success([await analyses.retry(requireCaller(request), { id, options })]);
  });
};

/** What the contract knows of a create request; whatever else was sent goes no further. */
function known({ name, type, input, comment, tags, projectId }: Static<typeof createBody>) {
  const { format, version, width, height, filename, options } = input;
  return {
    name,
    type,
    input: { format, version, width, height, filename, options },
    ...(comment === undefined ? {} : { comment }),
    ...(tags === undefined ? {} : { tags }),
    ...(projectId === undefined ? {} : { projectId }),
  };
}

const listAnalyses = operation(
  {
    id: 'listAnalyses',
    summary: 'Read one analysis, or list them newest first',
    failures: ['analysis_not_found'],
  },
  { querystring: listQuery, response: { 200: analysisListAnswer } },
);

const listSeenBefore = operation(
  {
    id: 'listSeenBefore',
    summary: 'List the pictures of the tenant that show the same as one of them, oldest first',
    failures: ['analysis_not_found'],
  },
  { querystring: seenBeforeQuery, response: { 200: seenBeforeAnswer } },
);

const createAnalysis = ({ maxSidePx, formats }: Limits) =>
  operation(
    {
      id: 'createAnalysis',
      bodyLimit: longBodyLimitBytes,
      summary: 'Create an analysis and get the URL to upload its picture to',
      failures: ['model_not_found', 'store_unavailable'],
    },
    {
      headers: repeatable,
      body: createBodyUpTo(maxSidePx, formats),
      response: { 200: analysisAnswer },
    },
  );

const describeAnalysis = operation(
  {
    id: 'describeAnalysis',
    bodyLimit: longBodyLimitBytes,
    summary: 'Change comment, tags or case of an analysis',
    failures: ['analysis_not_found'],
  },
  { body: describeBody, response: { 200: analysisAnswer } },
);

const listThumbnails = operation(
  { id: 'listThumbnails', summary: 'Small copies of examined pictures, for lists' },
  { querystring: thumbnailsQuery, response: { 200: thumbnailsAnswer } },
);

const deleteAnalysis = operation(
  { id: 'deleteAnalysis', summary: 'Delete an analysis', failures: ['analysis_not_found'] },
  { body: idBody, response: { 200: succeeded } },
);

const startAnalysis = operation(
  {
    id: 'startAnalysis',
    summary: 'Start an analysis whose picture was uploaded',
    description:
      'The upload is looked at here: one that is not what was declared is answered with 422, and the analysis is failed.',
    failures: ['analysis_not_found', 'analysis_not_pending', ...pictureFailures],
  },
  { headers: repeatable, body: idBody, response: { 200: succeeded } },
);

const retryAnalysis = operation(
  {
    id: 'retryAnalysis',
    summary: 'Run a failed analysis again, or upgrade the tier of a completed one',
    description:
      'Where start refused the upload, what lies at putUrl now is looked at again, and answered with 422 when it still cannot be analysed: the analysis stays failed. Otherwise the copy taken at the start is examined again.',
    failures: [
      'analysis_not_found',
      'analysis_not_retryable',
      'tier_downgrade',
      'model_not_found',
      ...pictureFailures,
      'evidence_damaged',
      'inference_timeout',
      'inference_crashed',
      'inference_out_of_memory',
    ],
  },
  { headers: repeatable, body: retryBody, response: { 200: analysisAnswer } },
);
