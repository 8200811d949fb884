/** A Fastify server that does nothing but answer the bytes it was given, over the same TLS as the real one. */

import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import { ensureLocalTls } from '../../src/server/tls.ts';

const [, , dataDir = '', createdFile = '', listedFile = ''] = process.argv;
const { cert, key } = await ensureLocalTls(dataDir, ['127.0.0.1'], new Date());
const created = readFileSync(createdFile, 'utf8');
const listed = readFileSync(listedFile, 'utf8');
const server = fastify({ https: { cert, key, minVersion: 'TLSv1.2' } });
server.get('/v1/analysis', async (_request, reply) => reply.type('application/json').send(listed));
server.post('/v1/analysis', async (_request, reply) =>
  reply.type('application/json').send(created),
);
process.send!(await server.listen({ host: '127.0.0.1', port: 0 }));
