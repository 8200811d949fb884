/** `/v1/analysis`: reads the request, calls one act, shapes the answer. */

import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from 'typebox';
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
import { type ErrorCode, ForensicsError } from '../../errors.ts';
import { success } from '../answers.ts';
import { requireCaller } from '../authenticate.ts';
import { longBodyLimitBytes } from '../bodies.ts';
import { operation, repeatable } from '../openapi-answers.ts';
import { maxCasePictures } from '../../evidence/bundle-format.ts';
import {
  caseQuery,
  caseReportQuery,
  custodyAnswer,
  evidenceQuery,
  htmlReportQuery,
  verificationAnswer,
  verifyQuery,
} from '../../contract/verification.ts';

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

const listAnalyses = operation({
  id: 'listAnalyses',
  summary: 'Read one analysis, or list them newest first',
  failures: ['analysis_not_found'],
  querystring: listQuery,
  answer: analysisListAnswer,
});

const listSeenBefore = operation({
  id: 'listSeenBefore',
  summary: 'List the pictures of the tenant that show the same as one of them, oldest first',
  failures: ['analysis_not_found'],
  querystring: seenBeforeQuery,
  answer: seenBeforeAnswer,
});

const createAnalysis = ({ maxSidePx, formats }: Limits) =>
  operation({
    id: 'createAnalysis',
    bodyLimit: longBodyLimitBytes,
    summary: 'Create an analysis and get the URL to upload its picture to',
    failures: ['model_not_found', 'store_unavailable'],
    headers: repeatable,
    body: createBodyUpTo(maxSidePx, formats),
    answer: analysisAnswer,
  });

const describeAnalysis = operation({
  id: 'describeAnalysis',
  bodyLimit: longBodyLimitBytes,
  summary: 'Change comment, tags or case of an analysis',
  failures: ['analysis_not_found'],
  body: describeBody,
  answer: analysisAnswer,
});

const listThumbnails = operation({
  id: 'listThumbnails',
  summary: 'Small copies of examined pictures, for lists',
  querystring: thumbnailsQuery,
  answer: thumbnailsAnswer,
});

const deleteAnalysis = operation({
  id: 'deleteAnalysis',
  summary: 'Delete an analysis',
  failures: ['analysis_not_found'],
  body: idBody,
  answer: succeeded,
});

const startAnalysis = operation({
  id: 'startAnalysis',
  summary: 'Start an analysis whose picture was uploaded',
  description:
    'The upload is looked at here: one that is not what was declared is answered with 422, and the analysis is failed.',
  failures: ['analysis_not_found', 'analysis_not_pending', ...pictureFailures],
  headers: repeatable,
  body: idBody,
  answer: succeeded,
});

const retryAnalysis = operation({
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
  headers: repeatable,
  body: retryBody,
  answer: analysisAnswer,
});

/** What a bundle holds beside the file that was examined: maps and reports. What is larger, `forensics verify` reads. */
const maxBytesBesideOriginal = 50_000_000;
/** Each is in memory as a whole, so no more are received at once, of all callers together. */
const mostReceived = 2;

const ofRecorded = [
  'analysis_not_found',
  'conflict',
  'evidence_damaged',
  'audit_broken',
  'store_unavailable',
] as const;
const archive = Type.Unsafe<Buffer>({ type: 'string', format: 'binary' });

type Parts = Pick<App, 'evidence' | 'analyses'>;

export const evidenceRoutes: FastifyPluginAsyncTypebox<Parts> = async (server, parts) => {
  const { evidence } = parts;
  server.get('/v1/analysis/custody', readCustody, async (request) =>
    success(await evidence.custody(requireCaller(request), request.query.id)),
  );

  server.get('/v1/analysis/bundle', readBundle, async (request, reply) => {
    const { id } = request.query;
    const bytes = await evidence.bundle(requireCaller(request), id);
    void reply.header('content-disposition', `attachment; filename="evidence-${id}.zip"`);
    return reply.type('application/zip').send(Buffer.from(bytes));
  });

  server.get('/v1/analysis/report', readHtmlReport, async (request, reply) => {
    const { id, language = 'en' } = request.query;
    const html = await evidence.htmlReport(requireCaller(request), id, language);
    void reply.headers({
      'content-disposition': `attachment; filename="report-${id}-${language}.html"`,
      // Its script must not run as a page of this server, wherever a browser opens it.
      'content-security-policy': 'sandbox',
    });
    return reply.type('text/html; charset=utf-8').send(html);
  });

  server.get('/v1/analysis/case/report', readCaseReport, async (request, reply) => {
    const { projectId, language = 'en' } = request.query;
    const pdf = await evidence.caseReport(requireCaller(request), projectId, language);
    void reply.header('content-disposition', `attachment; filename="case-${language}.pdf"`);
    return reply.type('application/pdf').send(Buffer.from(pdf));
  });

  server.get('/v1/analysis/case/bundle', readCaseBundle, async (request, reply) => {
    const pieces = evidence.caseBundle(requireCaller(request), request.query.projectId);
    // What refuses the whole case throws before the first piece, and is answered as any failure.
    const first = await pieces.next();
    void reply.header('content-disposition', 'attachment; filename="case.zip"');
    return reply.type('application/zip').send(Readable.from(startingWith(first, pieces)));
  });

  await server.register(verification, parts);
};

async function* startingWith<T>(first: IteratorResult<T, void>, rest: AsyncGenerator<T, void>) {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

// In a scope of its own: the one body that is not JSON.
const verification: FastifyPluginAsyncTypebox<Parts> = async (server, { evidence, analyses }) => {
  const bodyLimit = analyses.limits.maxBytes + maxBytesBesideOriginal;
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/zip',
    { parseAs: 'buffer', bodyLimit },
    (_request, body, done) => done(null, body),
  );
  let received = 0;
  // Behind the hooks that know the caller, before the body.
  server.addHook('preParsing', async (_request, reply) => {
    if (received === mostReceived) {
      throw new ForensicsError('rate_limited', 'Other bundles are being checked; try again soon.');
    }
    received++;
    reply.raw.once('close', () => received--);
  });
  server.post('/v1/bundle/verify', verifyBundle(bodyLimit), async (request) => {
    const { body } = request;
    if (!Buffer.isBuffer(body)) {
      const message = 'Send the bundle as the body, with Content-Type: application/zip.';
      throw new ForensicsError('invalid_request', message);
    }
    return success(await evidence.verify(requireCaller(request), body));
  });
};

const readCustody = operation({
  id: 'readCustody',
  summary: 'Read the chain of custody of an analysis',
  failures: ['analysis_not_found'],
  querystring: evidenceQuery,
  answer: custodyAnswer,
});

const readBundle = operation({
  id: 'readBundle',
  summary: 'Get the signed evidence bundle of an analysis as a zip archive',
  description: 'Its reports are rendered again. The audit log records each bundle.',
  failures: ofRecorded,
  querystring: evidenceQuery,
  answer: {
    description: 'The archive.',
    content: { 'application/zip': { schema: archive } },
  },
});

const readHtmlReport = operation({
  id: 'readHtmlReport',
  summary: 'Get the report of an analysis as one HTML file that needs no network',
  description:
    'It is rendered again from what was recorded; the PDF reports are files in the store.',
  failures: ofRecorded,
  querystring: htmlReportQuery,
  answer: {
    description: 'The file.',
    content: { 'text/html': { schema: Type.String() } },
  },
});

const readCaseReport = operation({
  id: 'readCaseReport',
  summary: 'Get the report about all pictures of a case as one PDF file',
  description: `Its first pages list the pictures, what needs a person first; a page for each follows. At most ${maxCasePictures} pictures.`,
  failures: ofRecorded,
  querystring: caseReportQuery,
  answer: {
    description: 'The file.',
    content: { 'application/pdf': { schema: archive } },
  },
});

const readCaseBundle = operation({
  id: 'readCaseBundle',
  summary: 'Get the signed evidence bundle of a case as a zip archive',
  description: `It holds the report of the case and a whole bundle of each picture that has a forensic report, and is sent while it is made: a failure half-way ends the connection. At most ${maxCasePictures} pictures and 4 GB. The audit log records each bundle.`,
  failures: ofRecorded,
  querystring: caseQuery,
  answer: {
    description: 'The archive.',
    content: { 'application/zip': { schema: archive } },
  },
});

const verifyBundle = (bodyLimit: number) =>
  operation({
    id: 'verifyBundle',
    bodyLimit,
    summary: 'Check a signed evidence bundle; nothing of it is stored',
    description: 'The body is the archive, with Content-Type: application/zip.',
    failures: ['bundle_unreadable'],
    querystring: verifyQuery,
    answer: verificationAnswer,
  });
