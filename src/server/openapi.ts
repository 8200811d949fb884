/** The interface document, made from the schemas that requests are checked against. */

import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { failures } from '../errors.ts';
import { analysisComponents } from './schemas/analysis.ts';
import { failed } from './schemas/words.ts';

const introduction = `Tells whether a picture is real, fake, uncertain or must be abstained from.
Create an analysis, PUT the picture to its putUrl, start it, read it until its status is completed.
Every failure is \`{success: false, message}\` with the headers x-request-id and x-error-code.`;

export async function describeInterface(server: FastifyInstance, version: string): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'forensics', version, description: introduction },
      components: {
        securitySchemes: {
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: '`ApiKey sk-...`; `Bearer sk-...` is accepted too.',
          },
        },
        headers: {
          'x-request-id': { schema: { type: 'string' } },
          'x-error-code': { schema: { type: 'string', enum: Object.keys(failures) } },
        },
      },
      security: [{ apiKey: [] }],
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => nameOf(json, index) },
    transform: ({ schema, url }) => ({ schema: withFailure(schema), url }),
  });
  for (const component of [...analysisComponents, failed]) server.addSchema(component);
}

function nameOf(json: Readonly<Record<string, unknown>>, index: number): string {
  return typeof json['$id'] === 'string' ? json['$id'] : `def-${index}`;
}

/** Every operation may fail in the one form. */
function withFailure(schema: FastifySchema): FastifySchema {
  const answers = typeof schema.response === 'object' ? schema.response : {};
  const failure = {
    description: 'Failure',
    headers: { 'x-request-id': { type: 'string' }, 'x-error-code': { type: 'string' } },
    content: { 'application/json': { schema: { $ref: 'Failure#' } } },
  };
  return { ...schema, response: { ...answers, default: failure } };
}
