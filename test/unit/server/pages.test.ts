import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { serverForFile } from './open-server.ts';

const built = new URL('../../../dist/console/', import.meta.url);
const maxBytes = 290_000;

const page = { accept: 'text/html,application/xhtml+xml' };

const open = await serverForFile();

const get = async (url: string, headers = {}) => open.server.inject({ url, headers });

/** The files that a page loads, with the answers for them. */
async function loadedBy(body: string) {
  const urls = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
  return { urls, answers: await Promise.all(urls.map(async (url) => get(url))) };
}

const policyOf = ({ headers }: { readonly headers: object }) =>
  String(Object(headers)['content-security-policy']).split('; ');

const confined = expect.arrayContaining([
  "default-src 'none'",
  "script-src 'self'",
  expect.stringMatching(/^connect-src 'self'(?: blob:)?$/),
  "frame-ancestors 'none'",
]);

test('programs that request the root address still get JSON', async () => {
  const answers = await Promise.all(
    [{}, { accept: '*/*' }, { accept: 'application/json' }].map(async (headers) =>
      get('/', headers),
    ),
  );

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404]);
  expect(answers[0]!.json().message).toMatch(/^Nothing exists at this address/);
});

// `npm run check` builds before it tests.
describe.skipIf(!existsSync(built))('the console', () => {
  test('has a policy that allows nothing inline and nothing from elsewhere', async () => {
    const answer = await get('/', page);

    expect(policyOf(answer)).toEqual(confined);
    expect(policyOf(answer)).toContain("style-src 'self'");
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(answer.body).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
  });

  test('refers to existing files, which browsers may cache', async () => {
    const { urls, answers } = await loadedBy((await get('/', page)).body);

    expect(urls.length).toBeGreaterThan(2);
    for (const { statusCode, headers } of answers) {
      expect(statusCode).toBe(200);
      expect(headers['cache-control']).toContain('immutable');
    }
  });

  test('is sent compressed, and not again if the browser has it', async () => {
    const etag = String((await get('/', page)).headers.etag);

    const again = await get('/', { ...page, 'if-none-match': etag });
    const small = await get('/', { ...page, 'accept-encoding': 'gzip, br' });

    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect(small.headers['content-encoding']).toBe('gzip');
  });

  test('is smaller than 290 kB compressed', () => {
    const sizes = readdirSync(built).map(
      (name) => gzipSync(readFileSync(new URL(name, built))).length,
    );

    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(maxBytes);
  });
});

describe('the description of the API', () => {
  test('comes with everything it loads from this server, and may load nothing from elsewhere', async () => {
    const answer = await get('/docs');
    const { urls, answers } = await loadedBy(answer.body);

    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(policyOf(answer)).toEqual(confined);
    expect(policyOf(answer).join()).not.toContain('http');
    expect(urls.length).toBeGreaterThan(4);
    expect(urls.filter((url) => !url.startsWith('/docs/'))).toEqual([]);
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });

  test('shows the document and uses no external validator', async () => {
    const [displayed, document, script] = await Promise.all(
      ['/docs/json', '/v1/schema', '/docs/static/swagger-initializer.js'].map(async (url) =>
        get(url),
      ),
    );

    expect(displayed?.json()).toEqual(document?.json());
    expect(script?.body).toContain('validatorUrl: null');
    expect(script?.body).toContain('"layout":"BaseLayout"');
  });

  test.each(['/docs/static/../index.js', '/docs/static/%2e%2e/package.json', '/docs/static/none'])(
    'has no other files: %s',
    async (url) => {
      const answer = await get(url);

      expect([answer.statusCode, answer.headers['x-error-code']]).toEqual([404, 'not_found']);
    },
  );
});

test('everything else keeps the strict policy', async () => {
  expect(policyOf(await get('/v1/ping'))).toContain('sandbox');
});
