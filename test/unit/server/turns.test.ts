import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OpenServer, openServer } from './open-server.ts';

let open: OpenServer;

beforeEach(async () => {
  open = await openServer();
});

afterEach(async () => open.close());

test('a tenant that floods the server is one turn ahead of another, not all its requests', async () => {
  const [noisy, quiet] = [await open.makeTenant('noisy'), await open.makeTenant('quiet')];
  const answered: string[] = [];
  const ask = async (name: string, secret: string) => {
    const headers = { authorization: `ApiKey ${secret}` };
    const url = `/v1/analysis?tenantName=${name}`;
    const { statusCode } = await open.server.inject({ url, headers });
    answered.push(`${name} ${statusCode}`);
  };

  const flood = Array.from({ length: 200 }, async () => ask('noisy', noisy.secret));
  await Promise.all([...flood, ask('quiet', quiet.secret), ask('quiet', quiet.secret)]);

  expect(answered).toHaveLength(202);
  // On PostgreSQL a connection may first have to be opened for it, while the others answer some more.
  expect(answered.slice(0, 20).filter((one) => one === 'quiet 200')).toHaveLength(2);
});

test('who asks for the state of the server waits for nobody', async () => {
  const { secret } = await open.makeTenant('noisy');
  const answered: string[] = [];
  const ask = async (url: string) => {
    await open.server.inject({ url, headers: { authorization: `ApiKey ${secret}` } });
    answered.push(url);
  };
  const list = '/v1/analysis?tenantName=noisy';

  await Promise.all([...Array.from({ length: 50 }, async () => ask(list)), ask('/v1/health')]);

  // Its checks read and write a little, during which some of the lists are answered.
  expect(answered.slice(0, 30)).toContain('/v1/health');
});
