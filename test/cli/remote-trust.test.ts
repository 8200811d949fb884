import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  authority,
  authorityPem,
  leaf,
  openTlsServer,
  type TlsServer,
} from '../unit/cli/client/tls-server.ts';
import { emptyFolder, refused, refusedInOneLine, runHere } from './run-cli.ts';

const key = `sk-acme-${'k'.repeat(38)}`;

let folder: string;
let server: TlsServer;
let sentKeys: (string | undefined)[];
beforeEach(async () => {
  folder = await emptyFolder();
  vi.stubEnv('XDG_CONFIG_HOME', folder);
  sentKeys = [];
  server = await openTlsServer(leaf, [authority], ({ headers }, response) => {
    sentKeys.push(headers.authorization);
    response.end(JSON.stringify({ success: true, data: [] }));
  });
});
afterEach(() => void vi.unstubAllEnvs());

/** Any command that makes one request. */
const listKeys = (...more: readonly string[]) =>
  runHere(['keys', 'list', '--tenant', 'acme', '--json', ...more]);

const fileWith = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
};
const caFile = (): string => fileWith('ca.pem', authorityPem);
const keyFile = (): string => fileWith('key', `${key}\n`);

test('an untrusted server is sent no key, and the message does not contain it', async () => {
  const ran = await listKeys('--url', server.url, '--api-key-file', keyFile(), '--verbose');

  expect(ran).toEqual(refused(3, 'was not issued by an authority that is trusted here'));
  expect(ran.stderr).not.toContain('kkk');
  expect(sentKeys).toEqual([]);
});

test('an error for lack of a key says how to supply one', async () => {
  const closed = await openTlsServer(leaf, [authority], (_request, response) => {
    response.statusCode = 403;
    response.end(JSON.stringify({ success: false, message: 'Send the header Authorization.' }));
  });

  const nobody = await listKeys('--url', closed.url, '--ca', caFile());
  const wrong = await listKeys('--url', closed.url, '--ca', caFile(), '--api-key-file', keyFile());

  expect(nobody).toEqual(refused(3, 'set FORENSICS_API_KEY, or save a key'));
  expect(wrong.stderr).toContain('forensics: Send the header Authorization.');
});

test('--api-key-file takes precedence over FORENSICS_API_KEY', async () => {
  vi.stubEnv('FORENSICS_API_KEY', key.replace('acme', 'other'));

  await listKeys('--url', server.url, '--ca', caFile());
  await listKeys('--url', server.url, '--ca', caFile(), '--api-key-file', keyFile());

  expect(sentKeys).toEqual([`ApiKey ${key.replace('acme', 'other')}`, `ApiKey ${key}`]);
});

test("a profile's key is used for its server even if the environment has another", async () => {
  const who = ['--api-key-file', keyFile(), '--tenant', 'acme', '--ca', caFile()];
  const loggedIn = await runHere(['login', '--url', server.url, '--profile', 'lab', ...who]);
  vi.stubEnv('FORENSICS_API_KEY', key.replace('acme', 'other'));

  await listKeys('--profile', 'lab');

  expect(loggedIn).toMatchObject({ code: 0 });
  expect(sentKeys).toEqual([`ApiKey ${key}`, `ApiKey ${key}`]);
});

test('FORENSICS_URL names a server, but --data-dir takes precedence', async () => {
  vi.stubEnv('FORENSICS_URL', server.url);

  const remote = await listKeys('--ca', caFile());
  const local = await listKeys('--data-dir', join(folder, 'data'));

  expect(remote).toMatchObject({ code: 0 });
  expect(local).toEqual(refused(4, 'Acting on the data folder'));
});

test('a key file that others can read gives a warning', async () => {
  const file = keyFile();
  chmodSync(file, 0o644);

  const ran = await listKeys('--url', server.url, '--ca', caFile(), '--api-key-file', file);

  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stderr).toContain(`Other users of this machine can read ${file}; run chmod 600.\n`);
});

test.each([
  ['a private key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
  ['a damaged certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'],
  ['nothing', ''],
])('%s is no certificate authority', async (_what, text) => {
  const ran = await listKeys('--url', server.url, '--ca', fileWith('wrong.pem', text));

  expect(ran).toEqual(refused(2, '--ca must name a file with PEM certificates'));
});

test.each([
  [['--url', 'https://localhost', '--profile', 'lab'], '--url and --profile each name a server'],
  [['--url', 'http://localhost'], 'plain HTTP is not supported'],
  [['--url', 'https://localhost', '--data-dir', 'x'], '--data-dir is for this machine'],
  [['--api-key-file', 'x'], '--api-key-file only works with a server; add --url'],
  [['--profile', 'Lab/../x'], 'A profile name must have'],
])('%j is refused in one line', async (args, message) => {
  expect(await listKeys(...args)).toEqual(refusedInOneLine(2, message));
});

test('an unknown profile is reported with the command that creates it', async () => {
  const ran = await listKeys('--profile', 'lab');

  expect(ran).toEqual(refused(4, 'forensics login --profile lab --url'));
});
