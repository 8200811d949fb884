/**
 * A Fastify server that only returns the bytes it was given, over the same TLS as the real one. A
 * second route, for creating analyses, first stores the request as durably as the real server does.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
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

const database = new Database(join(dataDir, 'bare.db'));
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('CREATE TABLE bodies (body TEXT NOT NULL)');
const insert = database.prepare('INSERT INTO bodies VALUES (?)');
server.post('/stored', async (request, reply) => {
  insert.run(JSON.stringify(request.body));
  return reply.type('application/json').send(created);
});
process.send!(await server.listen({ host: '127.0.0.1', port: 0 }));
