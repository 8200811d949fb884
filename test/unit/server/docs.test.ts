import { expect, test } from 'vitest';
import { serverForFile } from './open-server.ts';

const open = await serverForFile();

const get = async (url: string) => open.server.inject({ url });

test('the page and everything it loads come from this server', async () => {
  const page = await get('/docs');
  const loaded = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
  const answers = await Promise.all(loaded.map(async (url) => get(url)));

  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(loaded.length).toBeGreaterThan(4);
  expect(loaded.filter((url) => !url.startsWith('/docs/'))).toEqual([]);
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
});

test('the page may run its own scripts and nothing from elsewhere', async () => {
  const policy = String((await get('/docs')).headers['content-security-policy']);

  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('http');
});

test('the page shows the document and uses no external validator', async () => {
  const [displayed, document, script] = await Promise.all(
    ['/docs/json', '/v1/schema', '/docs/static/swagger-initializer.js'].map(get),
  );

  expect(displayed?.json()).toEqual(document?.json());
  expect(script?.body).toContain('validatorUrl: null');
  expect(script?.body).toContain('"layout":"BaseLayout"');
});

test.each(['/docs/static/../index.js', '/docs/static/%2e%2e/package.json', '/docs/static/none'])(
  'only the files of the page are served: %s',
  async (url) => {
    const answer = await get(url);

    expect([answer.statusCode, answer.headers['x-error-code']]).toEqual([404, 'not_found']);
  },
);

test('everything else keeps the strict policy', async () => {
  const { headers } = await get('/v1/ping');

  expect(headers['content-security-policy']).toContain('sandbox');
});
