import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { emptyFolder, startCli } from './run-cli.ts';

const hook = new URL('./loads.ts', import.meta.url).href;
const entry = fileURLToPath(new URL('./entry.ts', import.meta.url));

/** URLs of all modules that a command loads. */
async function modulesOf(args: readonly string[]): Promise<readonly string[]> {
  const cwd = await emptyFolder();
  const file = join(cwd, 'loaded');
  const env = { LOADED: file, NODE_OPTIONS: `--import ${hook}`, FORENSICS_API_KEY: 'sk-acme-x' };
  // Runs the sources, in which packages are still separate modules.
  await startCli(args, { cwd, env, entry });
  return readFileSync(file, 'utf8').trim().split('\n');
}

// The command fails there, after loading everything it imports.
const server = ['--url', 'https://127.0.0.1:1', '--ca', 'nowhere.pem'];
const tenant = [...server, '--tenant', 'acme'];

test.each([
  ['profile list', []],
  ['keys list', tenant],
  ['report 0123456789abcdef01234567', tenant],
  ['analyze picture.jpg', tenant],
  ['login', server],
  ['analyze nowhere.jpg', []],
  ['analyze nowhere.jpg --tier forensicReporting --out out', []],
])('%s loads no database, no model and no decoder', async (words, options) => {
  const modules = await modulesOf([...words.split(' '), ...options]);

  expect(modules.filter((url) => url.endsWith('/src/cli/main.ts'))).toHaveLength(1);
  expect(modules.filter((url) => /better-sqlite3|drizzle|onnxruntime|sharp/.test(url))).toEqual([]);
});
