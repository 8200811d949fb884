import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyFolder, entry } from './run-cli.ts';
import { runHere } from './run-here.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forensics-completion-'));
  for (const shell of shells) {
    await writeFile(join(folder, shell), (await runHere(['completion', shell])).stdout);
  }
  const program = join(folder, 'forensics');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`);
  await chmod(program, 0o755);
});

afterAll(() => rm(folder, { recursive: true }));

/** Ignores the user's start-up files. */
function run(shell: string, args: readonly string[], cwd?: string) {
  const env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((done) => {
    execFile(shell, args, { cwd, env }, (error, stdout, stderr) => {
      done({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}

/** What bash offers for the last of the words. */
async function offeredByBash(words: readonly string[], cwd?: string): Promise<readonly string[]> {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const code = `source "$0"; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}
    _forensics; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const ran = await run('bash', ['-c', code, join(folder, 'bash')], cwd);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return ran.stdout
    .split('\n')
    .filter((line) => line !== '')
    .toSorted();
}

/** What the program offers for the last of the words, without descriptions. */
async function offered(words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await runHere(['__complete', '--', ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => line.split('\t', 1)[0]!).toSorted();
}

test.for([
  [['ana'], ['analyze']],
  [
    ['keys', 'r'],
    ['revoke', 'rotate'],
  ],
  [
    ['master-key', ''],
    ['help', 'rotate'],
  ],
  [['keys', 'rotate', '--gr'], ['--grace']],
  [['--verbose', 'keys', 'ro'], ['rotate']],
  [
    ['analyze', '--tier', ''],
    ['flagging', 'forensicReporting'],
  ],
  [['analyze', '--tier', '=', 'for'], ['forensicReporting']],
  [
    ['analyze', '--tier', '='],
    ['flagging', 'forensicReporting'],
  ],
  [['analyze', '--tier=for'], ['--tier=forensicReporting']],
  [
    ['completion', ''],
    ['bash', 'fish', 'powershell', 'zsh'],
  ],
  [['help', 'comp'], ['completion']],
  [['keys', 'list', '--tenant', ''], []],
  [['analyze', ''], [':files']],
  [['analyze', '--out', ''], [':folders']],
  [['verify', '""'], [':files']],
  // The value of an option is not a command, even if a command has that name.
  [['validate', '--out', 'show', 'del'], ['delete']],
  // A subcommand is not the top-level command of the same name.
  [['models', 'verify', '--key'], []],
  [['__'], []],
] as const)('%j is completed to %j', async ([words, expected]) => {
  expect(await offered(words)).toEqual(expected);
});

test('a word is offered with its description', async () => {
  const { stdout } = await runHere(['__complete', '--', 'keys', 'rot']);

  expect(stdout).toMatch(/^rotate\t[A-Z].+\.\n$/);
});

test('bash offers words of the program, and paths only where a path is expected', async () => {
  const cwd = await emptyFolder();
  await mkdir(join(cwd, 'pictures of may'));
  await writeFile(join(cwd, 'photo.jpg'), '');

  const command = await offeredByBash(['forensics', 'keys', 'ro'], cwd);
  const value = await offeredByBash(['forensics', 'analyze', '--tier', '=', 'for'], cwd);
  const files = await offeredByBash(['forensics', 'analyze', ''], cwd);
  const folders = await offeredByBash(['forensics', 'analyze', 'photo.jpg', '--out', 'p'], cwd);
  const afterDashes = await offeredByBash(['forensics', 'analyze', '--', 'ph'], cwd);
  const neither = await offeredByBash(['forensics', 'keys', 'revoke', 'p'], cwd);

  expect(command).toEqual(['rotate']);
  expect(value).toEqual(['forensicReporting']);
  expect(files).toEqual(['photo.jpg', 'pictures of may']);
  expect(folders).toEqual(['pictures of may']);
  expect(afterDashes).toEqual(['photo.jpg']);
  expect(neither).toEqual([]);
});

test.for(['bash', 'zsh', 'fish'] as const)('%s parses its script', async (shell, { skip }) => {
  const isMissing = spawnSync(shell, ['--version']).error !== undefined;
  if (isMissing) skip(`${shell} is not installed`);

  const { code, stderr } = await run(shell, ['-n', join(folder, shell)]);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('the help of completion says how to install it for each shell', async () => {
  const { code, stdout } = await runHere(['completion', '--help']);

  expect(code).toBe(0);
  for (const shell of shells)
    expect(stdout).toMatch(new RegExp(`^ {2}${shell} +\\S.*${shell}`, 'm'));
});
