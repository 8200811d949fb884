/** Blocks of the manual that are files for other programs: checked as those programs read them. */

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/contract/config.ts';
import { changeBody } from '../../src/contract/tenant.ts';
import { newFolder } from '../fixtures/folder.ts';
import { blockNamed, readManual, root } from '../../bin/manual/manual.ts';

const manual = readManual();
const textOf = (name: string) => blockNamed(manual, name).text;
const dir = newFolder();

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
const defaults = readConfig({ environment: { XDG_CONFIG_HOME: dir } }).settings;
const manifest: { name: string; version: string; scripts: object; bin: object } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

test("the manual's command for running the tests is the one that CI uses", () => {
  const commands = textOf('check').trim().split(' && ');
  const clone = readFileSync(join(root, '.ci/run'), 'utf8').trim().split('\n');

  expect(clone).toEqual(expect.arrayContaining(commands));
  expect(manifest.scripts).toHaveProperty('check');
});

test.each([
  'bin/draw.ts',
  'bin/figures/figures.ts',
  'bin/manual/renew.ts',
  'bin/torture/torture.ts',
])('%s --help prints its usage and does nothing', (file) => {
  const args = [join(root, file), '--help'];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: dir });

  expect([status, String(stdout)]).toEqual([0, expect.stringMatching(/^`npm run /)]);
});

test("the example of a tenant's storage is valid for the API", () => {
  const storageConfig: unknown = JSON.parse(textOf('storage'));

  expect(Value.Check(changeBody, { storageConfig })).toBe(true);
});

test('the config file is valid and matches the proxies of the manual', () => {
  const configFile = join(dir, 'forensics.json');
  writeFileSync(configFile, textOf('config'));
  const { settings } = readConfig({ configFile, environment: {} });

  expect(settings).toMatchObject({
    behindProxy: true,
    host: '127.0.0.1',
    publicUrl: `https://${/server_name (\S+);/.exec(textOf('proxy-nginx'))?.[1]}`,
    dataDir: `/var/lib/${valueOf('StateDirectory')}`,
  });
});

test('the systemd unit and the backup use the config file', () => {
  const serving = valueOf('ExecStart');
  const backup = valueOf('ExecStart', 'backup-service');

  expect(serving).toBe('/usr/local/bin/forensics serve --config /etc/forensics.json');
  expect(backup).toContain('/usr/local/bin/forensics backup create');
  expect(backup).toContain('--config /etc/forensics.json');
});

test.for([
  ['systemd', 'forensics.service'],
  ['backup-service', 'forensics-backup.service'],
  ['backup-timer', 'forensics-backup.timer'],
] as const)('the unit "%s" is valid for systemd', ([name, file]) => {
  const lines = textOf(name).split('\n');
  const malformed = lines.filter((line) => !/^(?:\[[A-Z]\w+\]|[A-Z]\w+=.*|#.*|)$/.test(line));

  expect(malformed).toEqual([]);
  writeUnit(name, file);
  if (name === 'backup-timer') writeUnit('backup-service', 'forensics-backup.service');
  if (hasSystemd)
    expect(systemdAnalyze('verify', join(dir, file))).toEqual({ status: 0, output: '' });
});

test.runIf(hasSystemd)("the server's unit is as confined as the manual promises", () => {
  writeUnit('systemd', 'forensics.service');
  const { output } = systemdAnalyze('security', '--offline=true', join(dir, 'forensics.service'));

  // Out of 10, weighted by systemd; an unhardened service has 9.6.
  expect(Number(/exposure level for \S+: ([\d.]+)/.exec(output)?.[1])).toBeLessThanOrEqual(2);
});

test('the image is built from the package, and its program does not run as root', () => {
  const instructions = textOf('container')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => /^(?<word>[A-Z]+) +(?<rest>.+)$/.exec(line)?.groups ?? {});
  const rest = (wanted: string) => instructions.find(({ word }) => word === wanted)?.['rest'];

  expect(rest('RUN')).toContain(`/packages/${manifest.name}_${manifest.version}_amd64.deb`);
  expect(rest('USER')).toBe('forensics');
  expect(JSON.parse(rest('ENTRYPOINT') ?? '')).toEqual(Object.keys(manifest.bin));
  expect(JSON.parse(rest('CMD') ?? '')).toEqual(['serve']);
  expect(rest('ENV')).toBe(
    `FORENSICS_DATA_DIR=${rest('VOLUME')} FORENSICS_HOST=0.0.0.0 FORENSICS_INTAKE=everything`,
  );
  expect(rest('EXPOSE')).toBe(String(defaults.port));
});

test('the migrate example uses every option of the command', () => {
  const section = /\*\*`forensics migrate`\*\*[^]*?(?=\n\*\*`)/.exec(manual)?.[0] ?? '';
  const asked = textOf('migrate').match(/(?<=\s)--[a-z-]+(?= )/g) ?? [];

  expect(asked.filter((option) => option !== '--owner')).toEqual(
    [...section.matchAll(/^- `(--[a-z-]+) /gm)].map(([, option]) => option),
  );
});

test('containers of multi-machine examples use only known settings', () => {
  const compose: { services: Record<string, { environment?: object }> } = parse(textOf('compose'));
  const pods = parseAllDocuments(textOf('kubernetes')).map((each): Pod => each.toJS());
  const containers = pods.flatMap(({ spec }) => spec.template?.spec.containers ?? []);
  const { node } = compose.services;
  const alone: typeof compose = parse(textOf('compose-one'));
  const variables = [
    ...Object.keys({ ...alone.services['server']?.environment }),
    ...Object.keys({ ...node?.environment }),
    ...containers.flatMap(({ env }) => env.map(({ name }) => name)),
  ];
  const known = Object.keys(defaults).map(
    (name) => `FORENSICS_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
  );

  expect(containers.map(({ args }) => args)).toEqual([
    ['serve', '--workers', '0'],
    ['worker', '--workers', '2'],
  ]);
  expect(known).toEqual(expect.arrayContaining(variables));
  const kinds = ['Deployment', 'Deployment', 'HorizontalPodAutoscaler'];
  expect(pods.map(({ kind }) => kind)).toEqual(kinds);
  expect(textOf('kubernetes')).toContain(`image: registry.example/forensics:${manifest.version}`);
});

interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string }[];
}

interface Pod {
  readonly kind: string;
  readonly spec: { readonly template?: { readonly spec: { readonly containers: Container[] } } };
}

test("the proxies forward to the server's address with the headers it needs", () => {
  const address = `${defaults.host}:${defaults.port}`;
  const nginx = textOf('proxy-nginx');
  const caddy = textOf('proxy-caddy');

  for (const text of [nginx, caddy]) {
    expect(text.match(/\{/g)?.length).toBe(text.match(/\}/g)?.length);
  }
  const directives = nginx.replaceAll(/#.*/g, '').match(/[^;{}]+[;{]|\}/g) ?? [];
  expect(directives.map((each) => each.trim().split(/\s+/)[0])).not.toContain('');
  expect(nginx).toContain(`proxy_pass http://${address};`);
  expect(caddy).toContain(`reverse_proxy ${address}\n`);
  expect(nginx).toMatch(/proxy_set_header X-Forwarded-Proto https;/);
  expect(nginx).toMatch(/proxy_set_header X-Forwarded-For \$remote_addr;/);
  const largest = Number(/client_max_body_size (\d+)m;/.exec(nginx)?.[1]) * 1024 * 1024;
  expect(largest).toBeGreaterThanOrEqual(defaults.maxUploadBytes);
});

/** Uses /bin/true, as forensics is not installed here. */
function writeUnit(name: string, file: string): void {
  writeFileSync(join(dir, file), textOf(name).replaceAll('/usr/local/bin/forensics', '/bin/true'));
}

function systemdAnalyze(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

function valueOf(key: string, name = 'systemd'): string | undefined {
  return new RegExp(`^${key}=(.*)$`, 'm').exec(textOf(name))?.[1];
}
