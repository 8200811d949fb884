import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { runInTerminal } from './in-terminal.ts';
import { emptyFolder, runCli } from './run-cli.ts';
import { runHere } from './run-here.ts';

const escape = '\u001b';
const coloured = (raw: string) => /\[[0-9;]*3[0-9]m/.test(raw);

/** A folder with a small picture in it. */
async function folderWithScene(): Promise<string> {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'scene.jpg'), await sceneJpeg({ width: 96, height: 80, seed: 1 }));
  return cwd;
}

test.each([
  [['--quiet', 'models', 'list']],
  [['models', '--quiet', 'list']],
  [['models', 'list', '-q']],
])('%j prints nothing on stderr', async (args) => {
  const { code, stderr } = await runHere([...args]);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('--quiet leaves out on which data folder a command acts', async () => {
  const dataDir = await emptyFolder();

  const talk = await runHere(['tenant', 'create', 'acme', '--data-dir', dataDir]);
  const none = await runHere(['tenant', 'create', 'twin', '--data-dir', dataDir, '--quiet']);

  expect(talk.stderr).toContain('Acting on the data folder');
  expect(none).toMatchObject({ code: 0, stderr: '' });
});

test('failures are told all the same; --verbose tells where they came from', async () => {
  const folder = await emptyFolder();
  const args = ['tenant', 'list', '--data-dir', join(folder, 'none')];

  const quiet = await runHere([...args, '--quiet']);
  const verbose = await runHere(['--verbose', ...args]);
  const both = await runHere(['--verbose', ...args, '--quiet']);

  expect(quiet.stderr).toMatch(/^forensics: [^\n]+\n$/);
  expect(verbose.stderr).toMatch(/^ForensicsError: .* \[not_found\]\n +at /m);
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--verbose') });
});

test('a switch behind -- is a name', async () => {
  const { stderr } = await runHere(['analyze', '--', '--verbose']);

  expect(stderr).toContain('forensics: --verbose: ');
  expect(stderr).not.toContain('ForensicsError');
});

test('--no-input asks nobody, also on a terminal', async () => {
  const dataDir = await emptyFolder();
  await runHere(['tenant', 'create', 'acme', '--data-dir', dataDir]);

  const create = ['user', 'create', 'a@example.org', '--data-dir', dataDir];
  const { code, text } = await runInTerminal([...create, '--no-input']);

  expect(code).toBe(2);
  expect(text).toContain('Give a password with');
});

test('who is asked sees the question even where results are piped, and stdin must be a terminal too', async () => {
  const dataDir = await emptyFolder();
  await runHere(['tenant', 'create', 'acme', '--data-dir', dataDir]);

  const piped = await runCli(['user', 'create', 'a@example.org', '--data-dir', dataDir]);

  expect(piped).toMatchObject({ code: 2, stdout: '' });
  expect(piped.stderr).not.toContain('New password');
});

test.each([
  ['by itself', {}, [], true, true],
  ['with NO_COLOR', { NO_COLOR: '1' }, [], false, true],
  ['with --no-color', {}, ['--no-color'], false, true],
  ['on a dumb terminal', { TERM: 'dumb' }, [], false, false],
  ['in CI', { CI: 'true' }, ['--no-color'], false, false],
])(
  '%s a terminal gets colours and moving lines as it wants',
  async (_how, env, args, isColoured, isMoving) => {
    const cwd = await folderWithScene();
    const { code, raw } = await runInTerminal(['analyze', 'scene.jpg', ...args], { cwd, env });

    expect(code).toBe(0);
    expect(coloured(raw)).toBe(isColoured);
    expect(raw.includes(`${escape}[1G`)).toBe(isMoving);
  },
);

test('a pipe gets colours only when FORCE_COLOR says so', async () => {
  const cwd = await folderWithScene();
  const piped = await runCli(['analyze', 'scene.jpg'], { cwd });
  const forced = await runCli(['analyze', 'scene.jpg'], { cwd, env: { FORCE_COLOR: '1' } });

  expect(coloured(forced.stdout)).toBe(true);
  expect(piped.stdout).not.toContain(escape);
});
