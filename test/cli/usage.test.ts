import { expect, test } from 'vitest';
import { runCli } from './run-cli.ts';

test.for([
  [['analyse', 'a.jpg'], "unknown command 'analyse' (Did you mean analyze?)"],
  [['analyze', 'a.jpg', '--sed', '1'], "unknown option '--sed' (Did you mean --seed?)"],
  [['analyze'], "missing required argument 'file'"],
  [['analyze', 'a.jpg', '--seed', '1.5'], 'It has to be a whole number.'],
  [['analyze', 'a.jpg', '--fail-on', 'real'], 'fake, uncertain, abstain'],
  [['analyze', 'a.jpg', '--json', '--jsonl'], "cannot be used with option '--jsonl'"],
  [['analyze', 'a.jpg', '--maps'], '--maps needs --tier forensicReporting.'],
  [['analyze', 'a.jpg', '--force'], '--force'],
  [['analyze', 'a.jpg', '--without-original'], '--without-original is for evidence bundles'],
  [['verify', 'a.zip', '--fingerprint', 'ab'], '64 hexadecimal digits'],
  [['analyze', '-', '-'], 'can be read only once'],
] as const)('%j is refused in one line, with exit code 2', async ([args, message]) => {
  const ran = await runCli(args);

  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toMatch(/^forensics: [^\n]+\n$/);
  expect(ran.stderr).toContain(message);
});

test('help and version are results, on stdout', async () => {
  const help = await runCli(['help', 'analyze']);
  const version = await runCli(['--version']);

  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout.match(/^ {2}\$ forensics /gm)).toHaveLength(2);
  expect(version).toMatchObject({ code: 0, stderr: '' });
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('every command says in its help what it is for, with two examples', async () => {
  const { stdout } = await runCli(['--help']);
  const commands = [...stdout.matchAll(/^ {2}([a-z-]+) .*/gm)].map((match) => match[1]!);
  const helps = await Promise.all(
    commands.filter((name) => name !== 'help').map((name) => runCli(['help', name])),
  );

  expect(commands).toEqual(expect.arrayContaining(['analyze', 'doctor', 'master-key']));
  for (const { stdout: help } of helps) {
    expect(help).toMatch(/^ {2}\$ forensics [^]*^ {2}\$ forensics /m);
  }
});
