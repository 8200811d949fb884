import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runInTerminal } from './in-terminal.ts';
import { runCli } from './run-cli.ts';

let folder: string;
let dataDir: string;
let config: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'forensics-init-'));
  dataDir = join(folder, 'data');
  config = join(folder, 'conf', 'config.json');
});

const down = '\u001b[B';

/** Answers each question, by words of it, once it is asked; what is not named is answered by Enter. */
async function init(answers: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const questions = [
    'Replace it in the end',
    'Data folder',
    'Who is to reach',
    'Port to listen',
    'Address that clients',
    'Which certificate',
    'Where are pictures',
    'How do people',
    'Issuer',
    'Client id',
    'Client secret',
    'Name of the first tenant',
    'File for its API key',
    'URL that is called',
    'in your own network',
    'Write that',
  ];
  const asked: string[] = [];
  const shown = await runInTerminal(['init', '--data-dir', dataDir, '--config', config, ...args], {
    columns: 200,
    env: { NO_COLOR: '1' },
    onScreen: (screen, type) => {
      const next = questions.find((each) => !asked.includes(each) && screen.includes(each));
      if (next === undefined) return;
      asked.push(next);
      type(answers[next] ?? '\r');
    },
  });
  return { ...shown, asked };
}

test('whoever presses Enter throughout gets a server for this machine, ready to start', async () => {
  const { code, text } = await init({});
  const [key] = /sk-[a-z0-9]+-[0-9A-Za-z]{38}/.exec(text) ?? [];

  const tenants = await runCli(['tenant', 'list', '--json', '--data-dir', dataDir]);

  expect(code).toBe(0);
  expect(key).toBeDefined();
  expect(JSON.parse(readFileSync(config, 'utf8'))).toEqual({ dataDir, port: 8443 });
  expect(statSync(config).mode & 0o777).toBe(0o600);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(JSON.parse(tenants.stdout)).toMatchObject([{ name: 'default' }]);
  expect(text).toContain(`forensics serve --config ${config}`);
  expect(text).not.toContain('U+');
});

test('answers become settings; secrets go where they were sent, and are shown nowhere', async () => {
  const keyFile = join(folder, 'first.key');
  const { code, text } = await init({
    'Who is to reach': `${down}${down}\r`,
    'Port to listen': '9443\r',
    'Address that clients': 'https://forensics.example\r',
    'How do people': `${down}\r`,
    Issuer: 'https://id.example\r',
    'Client id': 'forensics\r',
    'Client secret': 'hush-hush\r',
    'Name of the first tenant': 'acme\r',
    'File for its API key': `${keyFile}\r`,
    'URL that is called': 'https://hooks.example/a?token=hush\r',
    'in your own network': 'y\r',
  });
  const webhook = await runCli(['tenant', 'show', 'acme', '--data-dir', dataDir, '--json']);

  expect(code).toBe(0);
  expect(JSON.parse(readFileSync(config, 'utf8'))).toEqual({
    dataDir,
    port: 9443,
    publicUrl: 'https://forensics.example',
    behindProxy: true,
    oidcIssuer: 'https://id.example',
    oidcClientId: 'forensics',
    oidcClientSecret: 'hush-hush',
    webhookAllow: ['external', 'private'],
  });
  expect(readFileSync(keyFile, 'utf8')).toMatch(/^sk-\S+\n$/);
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  expect(JSON.parse(webhook.stdout)).toMatchObject({
    webhookUrl: expect.stringContaining('hooks'),
  });
  expect(text).not.toContain('hush-hush');
  expect(text).not.toMatch(/sk-[a-z0-9]+-/);
  expect(text).not.toContain('Which certificate');
});

test.each([
  ['Ctrl-D', 'How do people', '\u0004'],
  ['Ctrl-C', 'Client secret', '\u0003'],
  ['Ctrl-C', 'Write that', '\u0003'],
])('%s at "%s" leaves nothing behind', async (_keys, question, key) => {
  const { code, text } = await init({
    'How do people': `${down}\r`,
    Issuer: 'https://id.example\r',
    'Client id': 'a\r',
    [question]: key,
  });

  expect(code).toBe(1);
  expect(text).toContain('forensics: Cancelled.');
  expect([existsSync(dataDir), existsSync(config)]).toEqual([false, false]);
});

test('whoever does not agree in the end has changed nothing', async () => {
  const { code, text } = await init({ 'Write that': 'n\r' });

  expect(code).toBe(1);
  expect(text).toContain('forensics: Nothing was changed.');
  expect([existsSync(dataDir), existsSync(config)]).toEqual([false, false]);
});

test('a config file that is there is not replaced unasked', async () => {
  config = join(folder, 'config.json');
  writeFileSync(config, '{"port": 1}');

  const { code, asked } = await init({});

  expect({ code, asked }).toEqual({ code: 1, asked: ['Replace it in the end'] });
  expect(readFileSync(config, 'utf8')).toBe('{"port": 1}');
});

test('a config file that cannot be written undoes the data folder', async () => {
  writeFileSync(join(folder, 'conf'), 'a file, where a folder would have to be');

  const { code, text } = await init({});

  expect(code).toBe(1);
  expect(text).toContain('cannot be written');
  expect(existsSync(dataDir)).toBe(false);
});

test('a data folder that was set up before keeps its tenants; only the settings are asked for', async () => {
  await runCli(['tenant', 'create', 'acme', '--data-dir', dataDir]);

  const { code, asked, text } = await init({});
  const tenants = await runCli(['tenant', 'list', '--json', '--data-dir', dataDir]);

  expect(code).toBe(0);
  expect(asked).not.toContain('Name of the first tenant');
  expect(text).not.toMatch(/sk-/);
  expect(JSON.parse(tenants.stdout)).toMatchObject([{ name: 'acme' }]);
});

test('without a terminal one line says what to do instead', async () => {
  const { code, stdout, stderr } = await runCli(['init', '--data-dir', dataDir]);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^forensics: Nobody can be asked here\. [^\n]*"forensics serve"[^\n]*\n$/);
});

test('--no-input asks nobody, also on a terminal', async () => {
  const { code, text, asked } = await init({}, ['--no-input']);

  expect({ code, asked }).toEqual({ code: 2, asked: [] });
  expect(text).toContain('Nobody can be asked here.');
});
