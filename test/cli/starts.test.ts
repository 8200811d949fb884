/**
 * Runs every command once in its own process: it starts, loads what it needs and prints the same as
 * in this process.
 */

import { beforeAll, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/main.ts';
import { exitCodes } from '../../src/contract/errors.ts';
import { newFolder } from '../fixtures/folder.ts';
import { runCli, startCli } from './run-cli.ts';

const dataDir = newFolder();
const here = ['--data-dir', dataDir];
const nowhere = ['--url', 'https://127.0.0.1:1', '--ca', 'none.pem'];
const { done, notFound, usage } = exitCodes;

const lines: readonly [readonly string[], number][] = [
  [['analyze', 'none.jpg'], notFound],
  [['validate', '--real', 'none', '--fake', '.'], notFound],
  [['models', 'list'], done],
  [['report', '0123456789abcdef01234567', '--tenant', 'acme', '--out', 'none', ...here], notFound],
  [['verify', 'none.zip'], notFound],
  [['reproduce', 'none.zip'], notFound],
  [['hold', 'list', '--tenant', 'acme', ...here], done],
  [['audit', 'list', '--tenant', 'acme', ...here], done],
  [['signing-key', 'show', ...here], done],
  [['serve', '--port', '99999', ...here], usage],
  [['worker', '--workers', '0', ...here], usage],
  [['webhooks', 'list', '--tenant', 'acme', ...here], done],
  [['feedback', 'list', ...here], done],
  [['tenant', 'show', 'acme', ...here], done],
  [['keys', 'list', '--tenant', 'acme', ...here], done],
  [['user', 'list', ...here], done],
  [['usage', ...here], done],
  [['master-key', 'rotate', ...here], done],
  [['migrate', '--to', 'mysql://none/none', ...here], usage],
  [['login', ...nowhere], notFound],
  [['doctor', '--fix'], usage],
  [['profile', 'list'], done],
  [['backup', 'verify', 'none.tar'], notFound],
  [['restore', 'none.tar', '--data-dir', 'none'], notFound],
  [['config', 'show', ...here], done],
  [['health', '--workers', '2'], usage],
  [['help', 'keys'], done],
];

beforeAll(async () => {
  expect((await runCli(['tenant', 'create', 'acme', ...here])).code).toBe(0);
});

test.each(lines)('forensics %j', async (args, code) => {
  const started = await startCli(args, { cwd: dataDir });
  const ran = await runCli(args, { cwd: dataDir });

  expect(started).toEqual({ ...ran, code, signal: null });
});

test('the list covers every command', () => {
  const names = createProgram([]).commands.map((command) => command.name());

  expect(lines.map(([[name]]) => name)).toEqual(expect.arrayContaining(names));
});
