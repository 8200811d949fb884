import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OpenServer, openServer } from './open-server.ts';

let open: OpenServer;

beforeEach(async () => {
  open = await openServer();
});

afterEach(async () => open.close());

test('a tenant that floods the server does not keep another waiting for the whole flood', async () => {
  const [noisy, quiet] = [await open.makeTenant('noisy'), await open.makeTenant('quiet')];
  const places: number[] = [];
  for (let flood = 0; flood < 5; flood++) {
    const answered: string[] = [];
    const ask = async (name: string, secret: string) => {
      const headers = { authorization: `ApiKey ${secret}` };
      const url = `/v1/analysis?tenantName=${name}`;
      const { statusCode } = await open.server.inject({ url, headers });
      answered.push(`${name} ${statusCode}`);
    };

    const noise = Array.from({ length: 200 }, async () => ask('noisy', noisy.secret));
    await Promise.all([...noise, ask('quiet', quiet.secret), ask('quiet', quiet.secret)]);

    expect(answered).toHaveLength(202);
    expect(answered.filter((one) => one === 'quiet 200')).toHaveLength(2);
    places.push(1 + answered.lastIndexOf('quiet 200'));
  }

  const rising = places.toSorted((one, other) => one - other);
  expect(rising[2]).toBeLessThanOrEqual(8);
  // PostgreSQL schedules its own processes, so a single flood may end a little later.
  const isPostgres = process.env['FORENSICS_TEST_POSTGRES'] !== undefined;
  expect(rising[4]).toBeLessThanOrEqual(isPostgres ? 20 : 8);
});

test('a health check does not wait for a flood of requests', async () => {
  const { secret } = await open.makeTenant('noisy');
  const answered: string[] = [];
  const ask = async (url: string) => {
    await open.server.inject({ url, headers: { authorization: `ApiKey ${secret}` } });
    answered.push(url);
  };
  const list = '/v1/analysis?tenantName=noisy';

  await Promise.all([...Array.from({ length: 200 }, async () => ask(list)), ask('/v1/health')]);

  // The checks read and write a little, and some of the lists are answered meanwhile.
  expect(answered.slice(0, 120)).toContain('/v1/health');
});
