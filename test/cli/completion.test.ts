import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyFolder } from './run-cli.ts';
import { runHere } from './run-here.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
type Shell = (typeof shells)[number];
const scripts = { bash: '', zsh: '', fish: '', powershell: '' };
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forensics-completion-'));
  for (const shell of shells) {
    scripts[shell] = (await runHere(['completion', shell])).stdout;
    await writeFile(join(folder, shell), scripts[shell]);
  }
});

afterAll(() => rm(folder, { recursive: true }));

/** Without anybody's start-up files. */
function run(shell: Shell, args: readonly string[], cwd?: string) {
  const env = { PATH: process.env['PATH'], HOME: folder };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((done) => {
    execFile(shell, args, { cwd, env }, (error, stdout, stderr) => {
      done({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}

function isInstalled(shell: Shell): boolean {
  return spawnSync(shell, ['--version']).error === undefined;
}

/** What bash offers behind these words, the last of them half-written. */
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

test.for([
  [['forensics', 'ana'], ['analyze']],
  [
    ['forensics', 'keys', 'r'],
    ['revoke', 'rotate'],
  ],
  [
    ['forensics', 'master-key', ''],
    ['help', 'rotate'],
  ],
  [['forensics', 'keys', 'rotate', '--gr'], ['--grace']],
  [['forensics', '--verbose', 'keys', 'ro'], ['rotate']],
  [
    ['forensics', 'analyze', '--tier', ''],
    ['flagging', 'forensicReporting'],
  ],
  [['forensics', 'analyze', '--tier', '=', 'for'], ['forensicReporting']],
  [
    ['forensics', 'analyze', '--tier', '='],
    ['flagging', 'forensicReporting'],
  ],
  [
    ['forensics', 'completion', ''],
    ['bash', 'fish', 'powershell', 'zsh'],
  ],
  [['forensics', 'help', 'comp'], ['completion']],
  [['forensics', 'keys', 'list', '--tenant', ''], []],
  // The value of an option is no command, though it has the name of one.
  [['forensics', 'validate', '--out', 'show', 'del'], ['delete']],
] as const)('bash completes %j to %j', async ([words, expected]) => {
  const offered = await offeredByBash(words);

  expect(offered).toEqual(expected);
});

test('bash offers files and folders only where a path is expected', async () => {
  const cwd = await emptyFolder();
  await mkdir(join(cwd, 'pictures of may'));
  await writeFile(join(cwd, 'photo.jpg'), '');
  await writeFile(join(cwd, '-'), '');

  const files = await offeredByBash(['forensics', 'analyze', ''], cwd);
  const folders = await offeredByBash(['forensics', 'analyze', 'photo.jpg', '--out', 'p'], cwd);
  const behindDashes = await offeredByBash(['forensics', 'analyze', '--', 'ph'], cwd);
  const neither = await offeredByBash(['forensics', 'keys', 'revoke', 'p'], cwd);

  expect(files).toEqual(['-', 'photo.jpg', 'pictures of may']);
  expect(folders).toEqual(['pictures of may']);
  expect(behindDashes).toEqual(['photo.jpg']);
  expect(neither).toEqual([]);
});

test.for(['bash', 'zsh', 'fish'] as const)('%s can read its script', async (shell, { skip }) => {
  if (!isInstalled(shell)) skip(`${shell} is not installed`);

  const { code, stderr } = await run(shell, ['-n', join(folder, shell)]);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

/** Lines for zsh: complete behind these words, the last of them half-written. */
function askZsh(...words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  return `words=(${quoted}); CURRENT=${words.length}; PREFIX='${words.at(-1)}'; _forensics`;
}

test('zsh walks the same way to commands, options, choices and paths', async ({ skip }) => {
  if (!isInstalled('zsh')) skip('zsh is not installed');
  // Its own helpers are out of reach without a terminal: what would be handed to them is printed.
  const stubs = `compdef() { }; compset() { }; compadd() { print -r -- "words \${@[2,-1]}" }
    _files() { print -r -- "files $*" }; _describe() { print -r -- "\${\${(P)@[-1]}[1]}" }`;
  const code = [
    stubs,
    'source "$0"',
    askZsh('forensics', 'completion', ''),
    askZsh('forensics', '--verbose', 'master-key', ''),
    askZsh('forensics', 'analyze', '--tier=for'),
    askZsh('forensics', 'keys', 'rotate', '--'),
    askZsh('forensics', 'analyze', '--out', ''),
  ].join('\n');

  const { stdout, stderr } = await run('zsh', ['-f', '-c', code, join(folder, 'zsh')]);

  expect(stderr).toBe('');
  expect(stdout.trim().split('\n')).toEqual([
    'words bash zsh fish powershell',
    expect.stringMatching(/^rotate:\w/),
    'words flagging forensicReporting',
    expect.stringMatching(/^--tenant:\w/),
    'files -/',
  ]);
});

test('fish offers commands with their descriptions, options and choices', async ({ skip }) => {
  if (!isInstalled('fish')) skip('fish is not installed');
  const lines = ['keys ro', 'keys rotate --gr', 'analyze --tier for', 'keys list --tenant k'];
  const asked = lines.map((line) => `complete -C 'forensics ${line}'`).join('\n');

  const { stdout, stderr } = await run('fish', [
    '--no-config',
    '-c',
    `source $argv[1]\n${asked}`,
    join(folder, 'fish'),
  ]);

  expect(stderr).toBe('');
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^rotate\t\w/),
    expect.stringMatching(/^--grace\t\w/),
    expect.stringMatching(/^forensicReporting\t\w/),
  ]);
});

test('the script for PowerShell leaves no bracket or quotation mark open', () => {
  const bare = scripts.powershell
    .replaceAll(/^\s*#.*$/gm, '')
    .replaceAll(/'(?:[^'\n]|'')*'|"[^"\n]*"/g, '');

  expect(bare).not.toMatch(/['"]/);
  for (const [open, close] of ['()', '{}', '[]'].map((pair) => pair.split(''))) {
    expect(bare.split(open!)).toHaveLength(bare.split(close!).length);
  }
});

test('no table of PowerShell has a key twice or an empty description', () => {
  const tables = [...scripts.powershell.matchAll(/\[ordered\]@\{ ('[^}]*') \}/g)].map((match) =>
    [...match[1]!.matchAll(/(?:^|; )'([^']+)' = '((?:[^']|'')*)'/g)].map((entry) => entry.slice(1)),
  );

  expect(tables.length).toBeGreaterThan(50);
  for (const table of tables) {
    // PowerShell compares keys without regard to case.
    const keys = table.map(([key]) => key!.toLowerCase());
    expect(keys).toEqual([...new Set(keys)]);
    expect(table.filter(([, description]) => description === '')).toEqual([]);
  }
});

test.for(shells)('the script for %s knows what the help knows', async (shell) => {
  const { stdout: help } = await runHere(['help']);
  const { stdout: helpOfUser } = await runHere(['user', 'create', '--help']);
  const commands = [...help.matchAll(/^ {2}([a-z][a-z-]*) .*/gm)].map((match) => match[1]!);
  const options = [...helpOfUser.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(
    (match) => match[1]!,
  );

  expect(commands.length).toBeGreaterThan(15);
  expect(options).toContain('password-stdin');
  const known = new Set<string>(scripts[shell].match(/[a-z][a-z-]*/g));
  expect([...commands, ...options].filter((word) => !known.has(word))).toEqual([]);
});

test('the help of completion says how to install it for each shell', async () => {
  const { code, stdout } = await runHere(['completion', '--help']);

  expect(code).toBe(0);
  for (const shell of shells)
    expect(stdout).toMatch(new RegExp(`^ {2}${shell} +\\S.*${shell}`, 'm'));
});

test('another shell is refused with those there are', async () => {
  const { code, stdout, stderr } = await runHere(['completion', 'tcsh']);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('bash, zsh, fish, powershell');
});
