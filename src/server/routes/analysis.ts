/** `/v1/analysis`: reads the request, calls one function of the service and shapes the response. */

import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { App } from '../../service/app.ts';
import * as contract from '../../contract/analysis.ts';
import { ofOne, ofTenant, oneLine, succeeded, withoutUndefined } from '../../contract/common.ts';
import { seenBeforeResponse } from '../../contract/seen-before.ts';
import type { Limits } from '../../image/picture.ts';
import { ForensicsError, invalidRequest } from '../../contract/errors.ts';
import { success } from '../responses.ts';
import { requireCaller } from '../authenticate.ts';
import { longBodyLimitBytes } from '../bodies.ts';
import { assertFew, limitDownloads, tooManyInProgress } from '../fair-use.ts';
import { operation, operations, repeatable } from '../openapi.ts';
import {
  caseQuery,
  caseReportQuery,
  custodyResponse,
  reportQuery,
  verificationResponse,
  maxCasePictures,
} from '../../contract/verification.ts';

export const analysisRoutes: FastifyPluginAsyncTypebox<Pick<App, 'analyses'>> = async (
  server,
  { analyses },
) => {
  server.get('/v1/analysis', declared.listAnalyses, async (request, reply) => {
    const { id, tenantName: _checked, ...query } = request.query;
    if (id !== undefined) {
      const found = await analyses.get(requireCaller(request), id);
      void reply.header('x-total-count', 1);
      return { ...success([found]), total: 1, startIndex: 0, endIndex: 1 };
    }
    const page = await analyses.list(requireCaller(request), query);
    const { total, startIndex, endIndex, totalCount, ofOneCamera } = page;
    void reply.header('x-total-count', totalCount);
    if (ofOneCamera !== null) void reply.header('x-one-camera-count', ofOneCamera);
    return { ...success(page.analyses), total, startIndex, endIndex };
  });

  server.get('/v1/analysis/seen-before', declared.listSeenBefore, async (request) =>
    success([...(await analyses.seenBefore(requireCaller(request), request.query.id))]),
  );

  server.post('/v1/analysis', createAnalysis(analyses.limits), async (request) => {
    return success([await analyses.create(requireCaller(request), known(request.body))]);
  });

  server.put('/v1/analysis', declared.describeAnalysis, async (request) => {
    const { id, ...described } = request.body;
    return success([await analyses.describe(requireCaller(request), id, knownIn(described))]);
  });

  server.get('/v1/analysis/thumbnails', declared.listThumbnails, async (request) =>
    success([...(await analyses.thumbnails(requireCaller(request), request.query.ids.split(',')))]),
  );

  server.delete('/v1/analysis', declared.deleteAnalysis, async (request) => {
    await analyses.remove(requireCaller(request), request.body.id);
    return success();
  });

  server.post('/v1/analysis/start', declared.startAnalysis, async (request) => {
    await analyses.start(requireCaller(request), request.body.id);
    return success();
  });

  server.post('/v1/analysis/retry', declared.retryAnalysis, async (request) => {
    const { id, options } = request.body;
    return success([await analyses.retry(requireCaller(request), { id, options })]);
  });
};

/** The members of a create request that the contract knows; anything else is dropped. */
function known({ name, type, input, ...described }: Static<typeof contract.createBody>) {
  const { format, version, width, height, filename, options } = input;
  const allowed = { format, version, width, height, filename, options };
  return { name, type, input: allowed, ...knownIn(described) };
}

function knownIn({ comment, tags, projectId, caseData }: contract.Description) {
  const lines = Object.entries(caseData ?? {})
    .map(([name, text]) => [name, oneLine(text)] as const)
    .filter(([, text]) => text !== '');
  return withoutUndefined({
    comment,
    tags: tags?.filter((tag) => tag.trim() !== ''),
    projectId: projectId === '' ? null : projectId,
    caseData: caseData && (lines.length === 0 ? null : Object.fromEntries(lines)),
  });
}

const archive = Type.Unsafe<Buffer>({ type: 'string', format: 'binary' });
const zipArchive = {
  description: 'The archive.',
  content: { 'application/zip': { schema: archive } },
};

const declared = operations({
  listAnalyses: {
    summary: 'Read one analysis, or list them newest first',
    querystring: contract.listQuery,
    answer: contract.analysisListResponse,
  },
  listSeenBefore: {
    summary:
      "List the tenant's other pictures that show the same thing, then those whose files are linked to it, each oldest first",
    querystring: ofOne,
    answer: seenBeforeResponse,
  },
  describeAnalysis: {
    bodyLimit: longBodyLimitBytes,
    summary: 'Change the comment, tags, case or case data of an analysis',
    body: contract.describeBody,
    answer: contract.analysisResponse,
  },
  listThumbnails: {
    summary: 'Get small copies of examined pictures, for lists',
    querystring: contract.thumbnailsQuery,
    answer: contract.thumbnailsResponse,
  },
  deleteAnalysis: { summary: 'Delete an analysis', body: contract.idBody, answer: succeeded },
  startAnalysis: {
    summary: 'Start an analysis whose picture has been uploaded',
    description:
      'The upload is checked here: if it does not match what was declared, the response is 422 and the analysis fails.',
    headers: repeatable,
    body: contract.idBody,
    answer: succeeded,
  },
  retryAnalysis: {
    summary: 'Run a failed analysis again, or upgrade the tier of a completed one',
    description:
      'If start rejected the upload, the object now at putUrl is checked again; if it still cannot be analysed, the response is 422 and the analysis stays failed. Otherwise the copy taken at the start is examined again.',
    headers: repeatable,
    body: contract.retryBody,
    answer: contract.analysisResponse,
  },
  readCustody: {
    summary: 'Read the chain of custody of an analysis',
    querystring: ofOne,
    answer: custodyResponse,
  },
  readBundle: {
    summary: 'Get the signed evidence bundle of an analysis as a zip archive',
    description: 'Its reports are rendered again. The audit log records each bundle.',
    querystring: ofOne,
    answer: zipArchive,
  },
  readHtmlReport: {
    summary: 'Get the report of an analysis as a single HTML file that needs no network, or as PDF',
    description:
      'It is rendered again from the recorded result, with the case and case data as they are now; the PDF reports in the store have those from the time of the examination.',
    querystring: reportQuery,
    answer: {
      description: 'The file.',
      content: {
        'text/html': { schema: Type.String() },
        'application/pdf': { schema: archive },
      },
    },
  },
  readCaseReport: {
    summary: 'Get a report on all pictures of a case as one PDF file',
    description: `Its first pages list the pictures, beginning with those that need a decision; a page for each follows. At most ${maxCasePictures} pictures.`,
    querystring: caseReportQuery,
    answer: {
      description: 'The file.',
      content: { 'application/pdf': { schema: archive } },
    },
  },
  readCaseBundle: {
    summary: 'Get the signed evidence bundle of a case as a zip archive',
    description: `It contains the report of the case and a complete bundle for each picture with a forensic report. It is sent while it is being made, so a failure half-way closes the connection. At most ${maxCasePictures} pictures and 4 GB. The audit log records each bundle.`,
    querystring: caseQuery,
    answer: zipArchive,
  },
});

const createAnalysis = ({ maxSidePx, formats }: Limits) =>
  operation('createAnalysis', {
    bodyLimit: longBodyLimitBytes,
    summary: 'Create an analysis and get the URL for uploading its picture',
    headers: repeatable,
    body: contract.createBodyUpTo(maxSidePx, formats),
    answer: contract.analysisResponse,
  });

/** Limit for a bundle's maps and reports besides the examined file. Use `forensics verify` for larger bundles. */
const maxBytesBesideOriginal = 50_000_000;
/** Of a tenant, so that slow clients delay only their own tenant. */
const maxReceived = 4;
/** Bounds the space that they take on the disk. */
const maxReceivedInAll = 16;

type Parts = Pick<App, 'evidence' | 'analyses'> & {
  readonly downloads?: Parameters<typeof limitDownloads>[1];
};

export const evidenceRoutes: FastifyPluginAsyncTypebox<Parts> = async (server, parts) => {
  const { evidence } = parts;
  await server.register(downloads, parts);
  await server.register(verification, parts);
  server.get('/v1/analysis/custody', declared.readCustody, async (request) =>
    success(await evidence.custody(requireCaller(request), request.query.id)),
  );
};

const downloads: FastifyPluginAsyncTypebox<Parts> = async (server, parts) => {
  const { evidence } = parts;
  limitDownloads(server, parts.downloads);
  // No HEAD: it would make a bundle and record it in the audit log, though none is sent.
  server.get(
    '/v1/analysis/bundle',
    { ...declared.readBundle, exposeHeadRoute: false },
    async (request, reply) => {
      const { id } = request.query;
      const { file, sizeBytes } = await evidence.bundle(requireCaller(request), id);
      void reply.headers({
        'content-disposition': `attachment; filename="evidence-${id}.zip"`,
        'content-length': sizeBytes,
      });
      return reply.type('application/zip').send(file.createReadStream({ start: 0 }));
    },
  );

  server.get('/v1/analysis/report', declared.readHtmlReport, async (request, reply) => {
    const { id, language = 'en', format = 'html' } = request.query;
    const made = await evidence.report(requireCaller(request), id, { language, format });
    void reply.headers({
      'content-disposition': `attachment; filename="report-${id}-${language}.${format}"`,
      // Wherever a browser opens the report, its script must not run as part of a page of this server.
      'content-security-policy': 'sandbox',
    });
    const type = format === 'pdf' ? 'application/pdf' : 'text/html; charset=utf-8';
    return reply.type(type).send(made);
  });

  server.get('/v1/analysis/case/report', declared.readCaseReport, async (request, reply) => {
    const { projectId, language = 'en' } = request.query;
    const pdf = await evidence.caseReport(requireCaller(request), projectId, language);
    void reply.header('content-disposition', `attachment; filename="case-${language}.pdf"`);
    return reply.type('application/pdf').send(Buffer.from(pdf));
  });

  server.get(
    '/v1/analysis/case/bundle',
    { ...declared.readCaseBundle, exposeHeadRoute: false },
    async (request, reply) => {
      const pieces = evidence.caseBundle(requireCaller(request), request.query.projectId);
      // Errors that concern the whole case are thrown before the first chunk, and get the same response as any failure.
      const first = await pieces.next();
      void reply.header('content-disposition', 'attachment; filename="case.zip"');
      return reply.type('application/zip').send(Readable.from(startingWith(first, pieces)));
    },
  );
};

async function* startingWith<T>(first: IteratorResult<T, void>, rest: AsyncGenerator<T, void>) {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

// In a separate scope, because this is the only body that is not JSON.
const verification: FastifyPluginAsyncTypebox<Parts> = async (server, { evidence, analyses }) => {
  const bodyLimit = analyses.limits.maxBytes + maxBytesBesideOriginal;
  server.removeAllContentTypeParsers();
  const received = new Map<FastifyRequest, FileHandle | null>();
  server.addContentTypeParser(
    'application/zip',
    async (request: FastifyRequest, body: IncomingMessage) => {
      if (Number(request.headers['content-length'] ?? 0) > bodyLimit) throw tooLarge();
      const file = await evidence
        .receive(upToLimit(body, bodyLimit), bodyLimit)
        .catch((cause: unknown) => {
          if (!body.destroyed || body.complete) throw cause;
          throw new ForensicsError('cancelled', 'The client disconnected.', { cause });
        });
      if (received.has(request)) received.set(request, file);
      // A response was sent before the whole body had arrived.
      else await file.close();
    },
  );
  const message = 'Send the bundle as the body, with Content-Type: application/zip.';
  server.addContentTypeParser('*', (_request, _body, done) =>
    done(new ForensicsError('unsupported_media_type', message)),
  );
  // Runs after the hooks that authenticate the caller, and before the body is read.
  server.addHook('preParsing', async (request) => {
    // The body of a disconnected client would never end.
    if (request.raw.destroyed) throw new ForensicsError('cancelled', 'The client disconnected.');
    if (received.size >= maxReceivedInAll) throw tooManyInProgress();
    assertFew(received.keys(), request, maxReceived);
    received.set(request, null);
  });
  // Also runs after the client has disconnected, but not before its bundle has been verified.
  server.addHook('onSend', async (request) => {
    const file = received.get(request);
    received.delete(request);
    await file?.close();
  });
  server.post('/v1/bundle/verify', verifyBundle(bodyLimit), async (request) => {
    const file = received.get(request);
    if (!file) throw invalidRequest(message);
    return success(await evidence.verify(requireCaller(request), file));
  });
};

async function* upToLimit(body: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  // Stays open when the reader stops early, so that a response can still be sent.
  const parts: AsyncIterable<Uint8Array> = body.iterator({ destroyOnReturn: false });
  for await (const part of parts) {
    size += part.length;
    if (size > maxBytes) throw tooLarge();
    yield part;
  }
}

const tooLarge = () =>
  new ForensicsError('body_too_large', 'The body is too large for this operation.');

const verifyBundle = (bodyLimit: number) =>
  operation('verifyBundle', {
    bodyLimit,
    summary: 'Verify a signed evidence bundle without storing it',
    consumes: ['application/zip'],
    querystring: ofTenant,
    answer: verificationResponse,
  });
