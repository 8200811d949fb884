import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInTerminal } from './in-terminal.ts';
import { emptyFolder, runCli, runHere } from './run-cli.ts';

const escape = '\u001b';
const coloured = (raw: string) => /\[[0-9;]*3[0-9]m/.test(raw);

test.each([
  [['--quiet', 'models', 'list']],
  [['models', '--quiet', 'list']],
  [['models', 'list', '-q']],
])('%j prints nothing on stderr', async (args) => {
  const { code, stderr } = await runHere([...args]);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('--quiet hides which data folder a command uses', async () => {
  const dataDir = await emptyFolder();

  const talk = await runHere(['tenant', 'create', 'acme', '--data-dir', dataDir]);
  const none = await runHere(['tenant', 'create', 'twin', '--data-dir', dataDir, '--quiet']);

  expect(talk.stderr).toContain('Acting on the data folder');
  expect(none).toMatchObject({ code: 0, stderr: '' });
});

test('--quiet still prints errors; --verbose adds the stack trace', async () => {
  const folder = await emptyFolder();
  const args = ['tenant', 'list', '--data-dir', join(folder, 'none')];

  const quiet = await runHere([...args, '--quiet']);
  const verbose = await runHere(['--verbose', ...args]);
  const both = await runHere(['--verbose', ...args, '--quiet']);

  expect(quiet.stderr).toMatch(/^forensics: [^\n]+\n$/);
  expect(verbose.stderr).toMatch(/^ForensicsError: .* \[not_found\]\n +at /m);
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--verbose') });
});

test('a switch after -- is a file name', async () => {
  const { stderr } = await runHere(['analyze', '--', '--verbose']);

  expect(stderr).toContain('forensics: --verbose: ');
  expect(stderr).not.toContain('ForensicsError');
});

test('--no-input never prompts, even on a terminal', async () => {
  const dataDir = await emptyFolder();
  await runHere(['tenant', 'create', 'acme', '--data-dir', dataDir]);

  const create = ['user', 'create', 'a@example.org', '--data-dir', dataDir];
  const { code, text } = await runInTerminal([...create, '--no-input']);

  expect(code).toBe(2);
  expect(text).toContain('Give a password with');
});

test.each([
  ['by default', {}, [], true, true],
  ['with NO_COLOR', { NO_COLOR: '1' }, [], false, true],
  ['with --no-color', {}, ['--no-color'], false, true],
  ['on a dumb terminal', { TERM: 'dumb' }, [], false, false],
  ['in CI', { CI: 'true' }, ['--no-color'], false, false],
])(
  '%s a terminal gets colours and animation as it should',
  async (_how, env, args, isColoured, isMoving) => {
    const cwd = await emptyFolder();
    const files = ['a.jpg', 'b.jpg'];
    // They fail in colour, without waiting for the networks.
    await Promise.all(files.map((file) => writeFile(join(cwd, file), 'no picture')));
    const { code, raw } = await runInTerminal(['analyze', ...files, ...args], { cwd, env });

    expect(code).toBe(1);
    expect(coloured(raw)).toBe(isColoured);
    expect(raw.includes(`${escape}[1G`)).toBe(isMoving);
  },
);

test('a pipe gets colours only with FORCE_COLOR', async () => {
  const doctor = ['doctor', '--quick', '--data-dir', await emptyFolder()];
  const piped = await runCli(doctor);
  const forced = await runCli(doctor, { env: { FORCE_COLOR: '1' } });

  expect(piped.stdout).toContain('models');
  expect(coloured(forced.stdout)).toBe(true);
  expect(piped.stdout).not.toContain(escape);
});
