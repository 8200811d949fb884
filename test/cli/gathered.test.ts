import { createRequire } from 'node:module';
import { expect, test } from 'vitest';

const fromHere = createRequire(import.meta.url);

// @peculiar/x509 needs it.
await import('reflect-metadata');

test.each([
  '@peculiar/x509',
  'drizzle-orm',
  'drizzle-orm/sqlite-core',
  'drizzle-orm/sqlite-proxy',
  'typebox',
  'typebox/compile',
  'typebox/value',
])('what the build gathered of %s exports what the package does', async (name) => {
  const gathered: object = await import(fromHere.resolve(`../../dist/gathered/${name}.js`));
  const own: object = await import(name);

  // Names that Node.js adds to a CommonJS package.
  const names = Object.keys(own).filter((key) => !['default', 'module.exports'].includes(key));
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((key) => !(key in gathered))).toEqual([]);
});
