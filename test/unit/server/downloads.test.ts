import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { limitDownloads } from '../../../src/server/fair-use.ts';
import type { Principal } from '../../../src/service/access/principal.ts';
import { answerErrors } from '../../../src/server/responses.ts';
import { portOf } from '../../fixtures/free-port.ts';

test('a tenant can receive four downloads at once, until those that nobody reads are ended', async () => {
  const server = fastify();
  server.decorateRequest('principal', null);
  server.addHook('onRequest', async (request) => {
    const tenant = String(request.headers['x-tenant']);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only these members are read
    request.principal = { id: tenant, tenantIds: [tenant] } as unknown as Principal;
  });
  answerErrors(server);
  limitDownloads(server, 500);
  server.get('/', async () => Buffer.alloc(50_000_000));
  server.get('/short', async () => 'short');
  await server.listen({ host: '127.0.0.1', port: 0 });
  const ask = (path: string, tenant = 'one'): Socket => {
    const socket = connect({ host: '127.0.0.1', port: portOf(server.server) });
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Tenant: ${tenant}\r\nConnection: close\r\n\r\n`,
    );
    return socket;
  };

  const unread = Array.from({ length: 4 }, () => ask('/'));
  await Promise.all(unread.map((socket) => once(socket, 'readable')));
  const fifth = await text(ask('/short'));
  const other = await text(ask('/short', 'two'));
  await expect.poll(() => text(ask('/short'))).toMatch(/^HTTP\/1.1 200 /);
  const countOpen = promisify(server.server.getConnections.bind(server.server));
  await expect.poll(() => countOpen()).toBe(0);
  unread.forEach((socket) => socket.destroy());
  await server.close();

  expect(fifth).toMatch(/^HTTP\/1.1 429 /);
  expect(other).toMatch(/^HTTP\/1.1 200 /);
});
