import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Command } from 'commander';
import { createWholeProgram } from '../../../src/cli/main.ts';
import { flagOf, readConfig, settingNames, variableOf } from '../../../src/contract/config.ts';
import { settingsSchema } from '../../../src/contract/settings.ts';
import { newFolder } from '../../fixtures/folder.ts';
import { refusal } from '../../fixtures/refusal.ts';

const nowhere = { XDG_CONFIG_HOME: join(tmpdir(), 'forensics-no-such-folder') };

function configFile(text: string): string {
  const file = join(newFolder(), 'config.json');
  writeFileSync(file, text);
  return file;
}

function failureOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

test('every setting has a default and reports it', () => {
  const { settings, origins } = readConfig({
    environment: { ...nowhere, XDG_DATA_HOME: '/somewhere' },
  });

  expect(settings).toMatchObject({
    dataDir: '/somewhere/forensics',
    host: '127.0.0.1',
    port: 8443,
    behindProxy: false,
    presignedUrlExpirySeconds: 604_800,
    webhookAllow: ['external'],
    storageAllow: ['external'],
    defaultStorage: null,
    masterKey: null,
  });
  expect(new Set(Object.values(origins))).toEqual(new Set(['default']));
});

test('a flag overrides the environment, the environment the file, the file the default', () => {
  const { settings, origins } = readConfig({
    flags: { port: '1' },
    environment: { FORENSICS_PORT: '2', FORENSICS_WORKERS: '2' },
    configFile: configFile('{"port": 3, "workers": 3, "logLevel": "debug"}'),
  });

  expect([settings.port, settings.workers, settings.logLevel]).toEqual([1, 2, 'debug']);
  expect([origins.port, origins.workers, origins.logLevel, origins.host]).toEqual([
    'flag',
    'environment',
    'file',
    'default',
  ]);
});

test('an empty variable counts as not set', () => {
  const { origins } = readConfig({ environment: { ...nowhere, FORENSICS_PORT: '' } });

  expect(origins.port).toBe('default');
});

test('every setting has one flag and one variable with the same name', () => {
  expect(settingNames.map(flagOf)).toContain('--presigned-url-expiry-seconds');
  expect(settingNames.map(variableOf)).toContain('FORENSICS_PRESIGNED_URL_EXPIRY_SECONDS');
});

test('no command accepts a secret as a flag, which other users could read', async () => {
  const secrets = settingNames.filter((name) => settingsSchema.properties[name].secret === true);
  const flags = ({ options, commands }: Command): readonly string[] => [
    ...options.map(({ long }) => long ?? ''),
    ...commands.flatMap(flags),
  ];

  const offered = flags(await createWholeProgram());

  expect(secrets).toContain('masterKey');
  expect(offered).toContain('--port');
  expect(secrets.map(flagOf).filter((flag) => offered.includes(flag))).toEqual([]);
});

test('relative paths are made absolute', () => {
  const { settings } = readConfig({ flags: { dataDir: 'data' }, environment: nowhere });

  expect(settings.dataDir).toBe(resolve('data'));
});

test.each([
  ['FORENSICS_PORT', '65536', 'FORENSICS_PORT must be an integer from 0 to 65535.'],
  ['FORENSICS_PORT', '80.5', 'FORENSICS_PORT must be an integer from 0 to 65535.'],
  ['FORENSICS_WORKERS', '65', 'FORENSICS_WORKERS must be an integer from 0 to 64.'],
  ['FORENSICS_BEHIND_PROXY', 'yes', 'FORENSICS_BEHIND_PROXY must be true or false.'],
  [
    'FORENSICS_LOG_LEVEL',
    'loud',
    'FORENSICS_LOG_LEVEL must be one of silent, fatal, error, warn, info, debug, trace.',
  ],
  [
    'FORENSICS_PUBLIC_URL',
    'http://forensics.example',
    'FORENSICS_PUBLIC_URL must be an https:// address without a path, such as https://forensics.example.',
  ],
  [
    'FORENSICS_OIDC_ISSUER',
    'https://somebody:password@issuer.example',
    'FORENSICS_OIDC_ISSUER must be the https:// address of an OpenID Connect issuer, without user name and password.',
  ],
  ['FORENSICS_MASTER_KEY', 'abc', 'FORENSICS_MASTER_KEY must be 64 hexadecimal digits.'],
  [
    'FORENSICS_PRESIGNED_URL_EXPIRY_SECONDS',
    '604801',
    'FORENSICS_PRESIGNED_URL_EXPIRY_SECONDS must be an integer from 60 to 604800.',
  ],
])('%s=%s is refused with the allowed values', (variable, value, message) => {
  const failure = failureOf(() => readConfig({ environment: { ...nowhere, [variable]: value } }));

  expect(failure).toMatchObject({ code: 'config_invalid', message });
});

test('a wrong value in the file is reported under its own name', () => {
  const failure = failureOf(() =>
    readConfig({ environment: {}, configFile: configFile('{"port": "https"}') }),
  );

  expect(failure).toMatchObject({ message: 'port must be an integer from 0 to 65535.' });
});

test.each([
  ['{"prot": 1}', /unknown setting, "prot"; the known ones are dataDir, host, port/],
  ['{"port": 1', /not valid JSON/],
  ['[]', /a single JSON object/],
])('the config file %s is refused', (text, message) => {
  const failure = failureOf(() => readConfig({ environment: {}, configFile: configFile(text) }));

  expect(failure).toEqual(refusal('config_invalid', message));
});

test('a given config file must exist, the default one need not', () => {
  const failure = failureOf(() => readConfig({ configFile: '/no/such/file', environment: {} }));

  expect(failure).toMatchObject({ message: 'The config file does not exist.' });
  expect(readConfig({ environment: nowhere }).settings.port).toBe(8443);
});

test('a certificate without its key, or behind a proxy, is rejected', () => {
  const half = failureOf(() => readConfig({ flags: { tlsCert: 'c.pem' }, environment: nowhere }));
  const proxied = failureOf(() =>
    readConfig({
      flags: { tlsCert: 'c.pem', tlsKey: 'k.pem', behindProxy: true },
      environment: nowhere,
    }),
  );

  expect(half).toMatchObject({ message: expect.stringContaining('--tls-key is missing') });
  expect(proxied).toMatchObject({ code: 'config_invalid' });
});
