import { expect, test } from 'vitest';
import { runCli } from './run-cli.ts';
import { runHere } from './run-here.ts';

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

test.for([
  [['keys', 'rotat'], "unknown command 'rotat' (Did you mean rotate?)"],
  [['tenant', 'craete', 'acme'], "unknown command 'craete' (Did you mean create?)"],
  [['hold', 'lst'], "unknown command 'lst' (Did you mean list?)"],
  [['help', 'analyse'], "unknown command 'analyse' (Did you mean analyze?)"],
  [['help', 'keys', 'rotat'], "unknown command 'rotat' (Did you mean rotate?)"],
  [['help', 'zebra'], "unknown command 'zebra'"],
  [['--verbos', 'doctor'], "unknown option '--verbos' (Did you mean --verbose?)"],
  [['doctor', '--verbsoe'], "unknown option '--verbsoe' (Did you mean --verbose?)"],
  [['serve', '--prot', '1'], "unknown option '--prot' (Did you mean --port?)"],
  [['config', 'show', '--orgin'], "unknown option '--orgin' (Did you mean --origin?)"],
  [
    ['keys', 'rotate', '--tenant', 'a', '--grcae', '1h'],
    "unknown option '--grcae' (Did you mean --grace?)",
  ],
  [
    ['hold', 'list', '--tenannt=a'],
    "required option '--tenant <name>' not specified (Did you mean it by --tenannt?)",
  ],
  [['keys', 'list', '--json'], "required option '--tenant <name>' not specified"],
] as const)('%j is told in one line what was meant, with exit code 2', async ([args, message]) => {
  const ran = await runHere(args);

  expect(ran).toEqual({ code: 2, stdout: '', stderr: `forensics: ${message}\n` });
});

test('help goes as deep as the commands do', async () => {
  const deep = await runHere(['help', 'keys', 'rotate']);
  const asOption = await runHere(['keys', 'rotate', '--help']);

  expect(deep).toEqual(asOption);
  expect(deep.stdout).toContain('Usage: forensics keys rotate [options]');
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
  const { stdout } = await runHere(['--help']);
  const commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]*) .*/gm)].map((match) => match[1]!);

  expect(commands).toEqual(expect.arrayContaining(['analyze', 'doctor', 'master-key']));
  for (const name of commands.filter((each) => each !== 'help')) {
    const { stdout: help } = await runHere(['help', name]);

    expect(help).toMatch(/^ {2}\$ forensics [^]*^ {2}\$ forensics /m);
  }
});
