import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { serverForFile } from './open-server.ts';

const built = new URL('../../../dist/console/', import.meta.url);
const maxBytes = 290_000;

const page = { accept: 'text/html,application/xhtml+xml' };

const open = await serverForFile();

test('programs that request the root address still get JSON', async () => {
  const answers = await Promise.all(
    [{}, { accept: '*/*' }, { accept: 'application/json' }].map((headers) =>
      open.server.inject({ url: '/', headers }),
    ),
  );

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404]);
  expect(answers[0]!.json().message).toMatch(/^Nothing exists at this address/);
});

// `npm run check` builds before it tests.
describe.skipIf(!existsSync(built))('the console', () => {
  test('has a policy that allows nothing inline and nothing from elsewhere', async () => {
    const { headers, body } = await open.server.inject({ url: '/', headers: page });
    const policy = String(headers['content-security-policy']).split('; ');

    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("style-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers['cache-control']).toBe('no-cache');
    expect(body).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
  });

  test('refers to existing files, which browsers may cache', async () => {
    const { body } = await open.server.inject({ url: '/', headers: page });
    const names = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);

    const answers = await Promise.all(names.map((url) => open.server.inject(url)));

    expect(names.length).toBeGreaterThan(2);
    for (const { statusCode, headers } of answers) {
      expect(statusCode).toBe(200);
      expect(headers['cache-control']).toContain('immutable');
    }
  });

  test('is sent compressed, and not again if the browser has it', async () => {
    const first = await open.server.inject({ url: '/', headers: page });
    const etag = String(first.headers.etag);

    const again = await open.server.inject({
      url: '/',
      headers: { ...page, 'if-none-match': etag },
    });
    const small = await open.server.inject({
      url: '/',
      headers: { ...page, 'accept-encoding': 'gzip, br' },
    });

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
