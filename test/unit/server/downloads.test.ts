import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import fastify, { type FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';
import { spool } from '../../../src/ports/files/files.ts';
import { limitDownloads } from '../../../src/server/fair-use.ts';
import { answerErrors } from '../../../src/server/responses.ts';
import { evidenceRoutes } from '../../../src/server/routes/analysis.ts';
import type { App } from '../../../src/service/app.ts';
import type { Tenant } from '../../../src/service/tenants/tenants.ts';
import type { Principal } from '../../../src/service/access/principal.ts';
import { portOf } from '../../fixtures/free-port.ts';

function newServer(): FastifyInstance {
  const server = fastify();
  server.decorateRequest('principal', null);
  server.decorateRequest('tenant', null);
  server.addHook('onRequest', async (request) => {
    const id = String(request.headers['x-tenant']);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only these members are read
    request.principal = { id, tenantIds: [id] } as unknown as Principal;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    request.tenant = { id } as unknown as Tenant;
  });
  answerErrors(server);
  return server;
}

async function askerOf(server: FastifyInstance) {
  await server.listen({ host: '127.0.0.1', port: 0 });
  return (path: string, tenant = 'one'): Socket => {
    const socket = connect({ host: '127.0.0.1', port: portOf(server.server) });
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Tenant: ${tenant}\r\nConnection: close\r\n\r\n`,
    );
    return socket;
  };
}

const countOpen = (server: FastifyInstance) =>
  promisify(server.server.getConnections.bind(server.server))();

const large = Buffer.alloc(50_000_000);

test('a tenant can receive four downloads at once, until those that nobody reads are ended', async () => {
  const server = newServer();
  limitDownloads(server, { idleTimeoutMs: 500, waitMs: 0 });
  server.get('/', async () => large);
  server.get('/short', async () => 'short');
  const ask = await askerOf(server);

  const unread = Array.from({ length: 4 }, () => ask('/'));
  await Promise.all(unread.map((socket) => once(socket, 'readable')));
  const fifth = await text(ask('/short'));
  const other = await text(ask('/short', 'two'));
  await expect.poll(() => text(ask('/short'))).toMatch(/^HTTP\/1.1 200 /);
  await expect.poll(() => countOpen(server)).toBe(0);
  unread.forEach((socket) => socket.destroy());
  await server.close();

  expect(fifth).toMatch(/^HTTP\/1.1 429 /);
  expect(other).toMatch(/^HTTP\/1.1 200 /);
});

test('downloads beyond four wait for a place; those beyond sixteen, or that wait too long, get 429', async () => {
  const server = newServer();
  limitDownloads(server, { waitMs: 1000 });
  server.get('/slow', async () => setTimeout(300, 'slow'));
  server.get('/slower', async () => setTimeout(2000, 'slow'));
  const ask = await askerOf(server);
  const statuses = async (count: number, path: string) => {
    const answers = Array.from({ length: count }, () => text(ask(path)));
    return (await Promise.all(answers)).map((answer) => answer.slice(9, 12)).toSorted();
  };

  const few = await statuses(8, '/slow');
  const many = await statuses(21, '/slow');
  const long = await statuses(5, '/slower');
  await server.close();

  expect(few).toEqual(Array(8).fill('200'));
  expect(many).toContain('429');
  expect(long).toEqual(['200', '200', '200', '200', '429']);
});

test('every route that sends a file ends a connection that nobody reads', async () => {
  const server = newServer();
  const paths: string[] = [];
  server.addHook('onRoute', ({ method, url, schema }) => {
    const types = Object.keys(Object(schema?.response)[200]?.content ?? {});
    if (method === 'GET' && !types.includes('application/json') && types.length > 0)
      paths.push(url);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what these routes call
  const evidence = {
    bundle: async () => ({ file: await spool([large], tmpdir()), sizeBytes: large.length }),
    report: async () => large,
    caseReport: async () => large,
    async *caseBundle() {
      for (;;) yield large;
    },
  } as unknown as App['evidence'];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this is read
  const analyses = { limits: { maxBytes: 0 } } as unknown as App['analyses'];
  const downloads = { idleTimeoutMs: 500 };
  await server.register(evidenceRoutes, { evidence, analyses, downloads });
  const ask = await askerOf(server);

  const unread = paths.map((path) => ask(`${path}?id=a&projectId=a&tenantName=a`));
  await Promise.all(unread.map((socket) => once(socket, 'readable')));
  const open = await countOpen(server);
  await expect.poll(() => countOpen(server), { timeout: 10_000 }).toBe(0);
  const starts = unread.map((socket) => String(socket.read()).slice(9, 12));
  unread.forEach((socket) => socket.destroy());
  await server.close();

  expect(open).toBe(paths.length);
  expect(paths.length).toBeGreaterThanOrEqual(4);
  expect(starts).toEqual(paths.map(() => '200'));
});
