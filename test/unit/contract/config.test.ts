import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Command } from 'commander';
import { createWholeProgram } from '../../../src/cli/main.ts';
import { readConfig } from '../../../src/contract/config.ts';
import {
  flagOf,
  settingNames,
  settingsSchema,
  variableOf,
} from '../../../src/contract/settings.ts';
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
  const environment = { ...nowhere, XDG_DATA_HOME: '/somewhere' };
  const { settings, origins } = readConfig({ environment });

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
  const { port, workers, logLevel, host } = origins;
  expect([port, workers, logLevel, host]).toEqual(['flag', 'environment', 'file', 'default']);
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

const issuer = 'an OpenID Connect issuer, without user name and password';

test.each([
  ['PORT', '65536', 'an integer from 0 to 65535.'],
  ['HOST', '256.1.1.1', 'a host name or an IP address.'],
  ['METRICS_ADDRESS', '256.1.1.1:9', 'host:port, such as 127.0.0.1:9464.'],
  ['PORT', '80.5', 'an integer from 0 to 65535.'],
  ['WORKERS', '65', 'an integer from 0 to 64.'],
  ['BEHIND_PROXY', 'yes', 'true or false.'],
  ['LOG_LEVEL', 'loud', 'one of silent, fatal, error, warn, info, debug, trace.'],
  [
    'PUBLIC_URL',
    'http://a.example',
    'an https:// address without a path, such as https://forensics.example.',
  ],
  ['OIDC_ISSUER', 'https://me:password@a.example', `the https:// address of ${issuer}.`],
  ['MASTER_KEY', 'abc', '64 hexadecimal digits.'],
  ['PRESIGNED_URL_EXPIRY_SECONDS', '604801', 'an integer from 60 to 604800.'],
])('FORENSICS_%s=%s is refused with the allowed values', (name, value, allowed) => {
  const variable = `FORENSICS_${name}`;
  const failure = failureOf(() => readConfig({ environment: { ...nowhere, [variable]: value } }));

  const message = `${variable} must be ${allowed}`;
  expect(failure).toMatchObject({ code: 'config_invalid', message });
});

test('a wrong value in the file is reported under its own name', () => {
  const file = configFile('{"port": "https"}');
  const failure = failureOf(() => readConfig({ environment: {}, configFile: file }));

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
  const flags = { tlsCert: 'c.pem', tlsKey: 'k.pem', behindProxy: true };
  const proxied = failureOf(() => readConfig({ flags, environment: nowhere }));

  expect(half).toMatchObject({ message: expect.stringContaining('--tls-key is missing') });
  expect(proxied).toMatchObject({ code: 'config_invalid' });
});
