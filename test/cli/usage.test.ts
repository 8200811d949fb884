import type { Command } from 'commander';
import { describe, expect, test, vi } from 'vitest';
import { createWholeProgram } from '../../src/cli/main.ts';
import { runInTerminal } from './in-terminal.ts';
import { refusedInOneLine, runCli, runHere } from './run-cli.ts';

const noTenant = (words: string) =>
  `required option '--tenant <name>' not specified; see "forensics ${words} --help"`;
const isLocal =
  "unknown option '--profile'. This command only works on a local data folder; run it on the server's own machine.";

test.for([
  ['analyse a.jpg', "unknown command 'analyse' (Did you mean analyze?)"],
  ['analyze a.jpg --sed 1', "unknown option '--sed' (Did you mean --seed?)"],
  ['analyze a.jpg --seed 1.5', 'It must be a whole number of at most 15 digits.'],
  [`analyze a.jpg --examiner ${'n'.repeat(81)}`, 'It must have at most 80 characters.'],
  [`analyze a.jpg --note ${'n'.repeat(301)}`, 'It must have at most 300 characters.'],
  ['analyze a.jpg --fail-on real', 'fake, uncertain, abstain'],
  ['analyze a.jpg --json --jsonl', "cannot be used with option '--jsonl'"],
  ['analyze a.jpg --csv --json', "'--json' cannot be used with option '--csv'"],
  ['analyze a.jpg --csv --jsonl', "'--jsonl' cannot be used with option '--csv'"],
  ['analyze a.jpg --maps', '--maps is for forensic reports; add --tier forensicReporting.'],
  ['analyze a.jpg --force', '--force'],
  ['analyze a.jpg --without-original', '--without-original is for forensic reports'],
  ['verify a.zip --fingerprint ab', '64 hexadecimal digits'],
  ['analyze - -', 'can be read only once'],
] as const)('%s is refused in one line, with exit code 2', async ([line, message]) => {
  expect(await runCli(line.split(' '))).toEqual(refusedInOneLine(2, message));
});

test.for([
  ['keys rotat', "unknown command 'rotat' (Did you mean rotate?)"],
  ['tenant craete acme', "unknown command 'craete' (Did you mean create?)"],
  ['hold lst', "unknown command 'lst' (Did you mean list?)"],
  ['help keys rotat', `unknown command 'rotat'; see "forensics keys --help"`],
  ['zebra', `unknown command 'zebra'; see "forensics --help"`],
  ['analyze', `missing required argument 'file'; see "forensics analyze --help"`],
  ['audit verify --profile lab', isLocal],
  ['tenant list --profile lab', isLocal],
  ['usage --profile lab', isLocal],
  ['--verbos doctor', "unknown option '--verbos' (Did you mean --verbose?)"],
  ['doctor --verbsoe', "unknown option '--verbsoe' (Did you mean --verbose?)"],
  ['serve --prot 1', "unknown option '--prot' (Did you mean --port?)"],
  ['keys rotate --tenant a --grcae 1h', "unknown option '--grcae' (Did you mean --grace?)"],
  ['hold list --tenannt=a', noTenant('hold list')],
  ['keys list --json', noTenant('keys list')],
] as const)('%s gets a one-line hint, with exit code 2', async ([line, message]) => {
  const ran = await runHere(line.split(' '));

  expect(ran).toEqual({ code: 2, stdout: '', stderr: `forensics: ${message}\n` });
});

test('every subcommand has its own help', async () => {
  const deep = await runHere(['help', 'keys', 'rotate']);
  const asOption = await runHere(['keys', 'rotate', '--help']);

  expect(deep).toEqual(asOption);
  expect(deep.stdout).toContain('Usage: forensics keys rotate [options]');
});

test('help and version go to stdout', async () => {
  const help = await runCli(['help', 'analyze']);
  const version = await runCli(['--version']);

  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout.match(/^ {2}\$ forensics /gm)).toHaveLength(2);
  expect(version).toMatchObject({ code: 0, stderr: '' });
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

/** Every command and subcommand, by the words that call it. */
function commandsBelow(command: Command, path: readonly string[] = []): readonly string[][] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help')
    .flatMap((each) => {
      const words = [...path, each.name()];
      return [words, ...commandsBelow(each, words)];
    });
}

const program = await createWholeProgram();
const all = commandsBelow(program);

test('all commands are found, including subcommands', () => {
  expect(all).toEqual(expect.arrayContaining([['analyze'], ['keys', 'rotate']]));
  expect(all.length).toBeGreaterThan(60);
});

describe.each(all.map((words) => [words.join(' '), words] as const))('%s', (_name, words) => {
  const command = commandAt(words);

  test('has a one-sentence description', () => {
    expect(command.description()).toMatch(/^[A-Z].*\.$/);
  });

  test('has two examples that use only known options', async () => {
    const { stdout } = await runHere([...words, '--help']);
    const examples = [...stdout.matchAll(/^ {2}\$ forensics (.*)$/gm)].map((match) => match[1]!);

    expect(examples.length).toBeGreaterThanOrEqual(2);
    for (const example of examples.flatMap((each) => each.split(/ \| forensics /))) {
      const known = flagsOf(exampleCommand(example));
      const given = example.match(/(?<= )--[a-z][a-z-]*/g) ?? [];
      expect(known).toEqual(expect.arrayContaining(given));
    }
  });

  test('has help that fits a narrow terminal, except for examples and paths', async () => {
    vi.stubEnv('COLUMNS', '72');
    const { stdout } = await runHere([...words, '--help']);
    vi.unstubAllEnvs();
    const wide = stdout.split('\n').filter((line) => line.length > 72 && !isCopyable(line));

    expect(wide).toEqual([]);
  });
});

function commandAt(words: readonly string[]): Command {
  return words.reduce<Command>(
    (at, word) => at.commands.find((each) => each.name() === word) ?? at,
    program,
  );
}

/** The command that the leading words of an example name. */
function exampleCommand(example: string): Command {
  const words = example.split(' ');
  const end = words.findIndex((word, index) => !all.some((each) => each[index] === word));
  return commandAt(end === -1 ? words : words.slice(0, end));
}

function flagsOf(command: Command): readonly string[] {
  const flags: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) {
    flags.push(...at.options.flatMap(({ long }) => (long === undefined ? [] : [long ?? ''])));
  }
  return [...flags, '--help'];
}

/** Text to copy is not wrapped: examples and addresses. */
function isCopyable(line: string): boolean {
  return /^ {2}\$ |^ {15}/.test(line);
}

test("the program's help groups its commands", async () => {
  const { stdout } = await runHere(['--help']);

  expect(stdout).toMatch(/^Examine pictures:\n {2}analyze /m);
  expect(stdout).toMatch(/^Serve:\n {2}serve /m);
  expect(stdout).not.toMatch(/^Commands:$/m);
});

async function widestLineAt(columns: number): Promise<number> {
  const { text } = await runInTerminal(['help', 'doctor'], { columns });
  return Math.max(
    ...text
      .split('\n')
      .filter((line) => !isCopyable(line))
      .map((line) => line.length),
  );
}

test('help adapts to the terminal width, up to 100 columns', async () => {
  const [narrow, wide] = [await widestLineAt(60), await widestLineAt(200)];

  expect(narrow).toBeLessThanOrEqual(60);
  expect(wide).toBeGreaterThan(80);
  expect(wide).toBeLessThanOrEqual(100);
});
