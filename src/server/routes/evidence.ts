/** Custody and bundles of analyses, and whether a bundle is what was signed. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { App } from '../../service/app.ts';
import {
  custodyAnswer,
  evidenceQuery,
  htmlReportQuery,
  verificationAnswer,
  verifyQuery,
} from '../../contract/verification.ts';
import { ForensicsError } from '../../errors.ts';
import { success } from '../answers.ts';
import { requireCaller } from '../authenticate.ts';
import { operation } from '../openapi-answers.ts';

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

  await server.register(verification, parts);
};

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

const readCustody = operation(
  {
    id: 'readCustody',
    summary: 'Read the chain of custody of an analysis',
    failures: ['analysis_not_found'],
  },
  { querystring: evidenceQuery, response: { 200: custodyAnswer } },
);

const readBundle = operation(
  {
    id: 'readBundle',
    summary: 'Get the signed evidence bundle of an analysis as a zip archive',
    description: 'Its reports are rendered again. The audit log records each bundle.',
    failures: ofRecorded,
  },
  {
    querystring: evidenceQuery,
    response: {
      200: {
        description: 'The archive.',
        content: { 'application/zip': { schema: archive } },
      },
    },
  },
);

const readHtmlReport = operation(
  {
    id: 'readHtmlReport',
    summary: 'Get the report of an analysis as one HTML file that needs no network',
    description:
      'It is rendered again from what was recorded; the PDF reports are files in the store.',
    failures: ofRecorded,
  },
  {
    querystring: htmlReportQuery,
    response: {
      200: {
        description: 'The file.',
        content: { 'text/html': { schema: Type.String() } },
      },
    },
  },
);

const verifyBundle = (bodyLimit: number) =>
  operation(
    {
      id: 'verifyBundle',
      bodyLimit,
      summary: 'Check a signed evidence bundle; nothing of it is stored',
      description: 'The body is the archive, with Content-Type: application/zip.',
      failures: ['bundle_unreadable'],
    },
    { querystring: verifyQuery, response: { 200: verificationAnswer } },
  );
