/**
 * Every setting in one table: its name in a config file, its flag, its environment variable, what it may be and what
 * it is when nobody says anything. A flag beats the environment, the environment beats the file, the file beats the
 * default. Knows no room that uses the settings.
 */

import { homedir, availableParallelism } from 'node:os';
import { join } from 'node:path';
import { readConfigFile } from './config/file.ts';
import { hostName, httpsOrigin, integer, list, path, truth, webOrigin } from './config/setting.ts';
import type { Environment, Setting } from './config/setting.ts';
import { ForensicsError } from './errors.ts';

export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface Settings {
  /** Folder of the database, the blobs, the keys and the certificates. Absolute. */
  readonly dataDir: string;
  readonly host: string;
  /** 0 lets the system choose one. */
  readonly port: number;
  /** What clients put before `/v1`, without a slash at the end; null when it follows from host and port. */
  readonly publicUrl: string | null;
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  /** Plain HTTP, accepted only from a proxy on this machine that says it was HTTPS outside. */
  readonly behindProxy: boolean;
  /** A folder of further models beside those of the package. */
  readonly modelsDir: string | null;
  /** Child processes that look at pictures. */
  readonly workers: number;
  /** How long a job stays with a worker that does not answer any more; what a crash costs at most. */
  readonly leaseSeconds: number;
  /** Largest upload in bytes. */
  readonly maxUploadBytes: number;
  /** Seconds that presigned URLs live. */
  readonly presignedUrlExpirySeconds: number;
  /** Browser origins that may use presigned URLs. */
  readonly corsAllowedOrigins: readonly string[];
  /** Where webhooks may go: `external`, `private`, and address ranges such as `127.0.0.0/8`. */
  readonly webhookAllow: readonly string[];
  readonly logLevel: LogLevel;
  /** 64 hexadecimal digits; null keeps the key in the data folder. */
  readonly masterKey: string | null;
}

export type SettingName = keyof Settings;
export const origins = ['flag', 'environment', 'file', 'default'] as const;
export type Origin = (typeof origins)[number];

/** Where values may come from. Flags hold strings, numbers, booleans or lists; undefined was not given. */
export interface Sources {
  readonly flags?: Readonly<Partial<Record<SettingName, unknown>>>;
  readonly environment?: Environment;
  /** A file that must exist; without it `forensics/config.json` below the XDG config folder is read when there. */
  readonly configFile?: string;
}

export interface Config {
  readonly settings: Settings;
  readonly origins: Readonly<Record<SettingName, Origin>>;
}

type Table = { readonly [Name in SettingName]: Setting<Settings[Name]> };

const maxPresignedSeconds = 7 * 24 * 3600;

const table: Table = {
  dataDir: { allowed: 'the path of a folder', parse: path, fallback: defaultDataDir },
  host: { allowed: 'a host name or an IP address', parse: hostName, fallback: () => '127.0.0.1' },
  port: integer(0, 65_535, () => 8443),
  publicUrl: {
    allowed: 'an https:// address without path, such as https://forensics.example',
    parse: httpsOrigin,
    fallback: () => null,
  },
  tlsCert: { allowed: 'the path of a PEM file', parse: path, fallback: () => null },
  tlsKey: { allowed: 'the path of a PEM file', parse: path, fallback: () => null },
  behindProxy: { allowed: 'true or false', parse: truth, fallback: () => false },
  modelsDir: { allowed: 'the path of a folder', parse: path, fallback: () => null },
  workers: integer(1, 64, defaultWorkers),
  leaseSeconds: integer(2, 600, () => 15),
  maxUploadBytes: integer(1024, 1_000_000_000, () => 50_000_000),
  presignedUrlExpirySeconds: integer(60, maxPresignedSeconds, () => maxPresignedSeconds),
  corsAllowedOrigins: {
    allowed: 'a list of origins such as https://app.example',
    parse: (value) => list(value, (entry) => entry === '*' || webOrigin(entry)),
    fallback: () => [],
  },
  webhookAllow: {
    allowed: 'a list of external, private and address ranges such as 10.1.0.0/16',
    parse: (value) =>
      list(value, (entry) => /^(external|private|[0-9a-f.:]+\/\d{1,3})$/i.test(entry)),
    fallback: () => ['external'],
  },
  logLevel: {
    allowed: `one of ${logLevels.join(', ')}`,
    parse: (value) => logLevels.find((level) => level === value),
    fallback: () => 'info',
  },
  masterKey: {
    allowed: '64 hexadecimal digits',
    parse: (value) =>
      typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value) ? value.toLowerCase() : undefined,
    fallback: () => null,
    secret: true,
  },
};

export const settingNames: readonly SettingName[] = Object.keys(table).filter(isSettingName);

/**
 * The settings of this run and where each came from.
 *
 * @throws {ForensicsError} `config_invalid`: names the setting, where it was given and what it may be.
 */
export function readConfig(sources: Sources = {}): Config {
  const environment = sources.environment ?? process.env;
  const layers: readonly {
    readonly origin: Origin;
    readonly read: (name: SettingName) => unknown;
  }[] = [
    { origin: 'flag', read: (name) => sources.flags?.[name] },
    { origin: 'environment', read: (name) => environment[variableOf(name)] },
    { origin: 'file', read: fileReader(sources.configFile, environment) },
  ];
  const settings: Partial<Record<SettingName, unknown>> = {};
  const from: Partial<Record<SettingName, Origin>> = {};
  for (const name of settingNames) {
    const layer = layers.find(({ read }) => isGiven(read(name)));
    from[name] = layer?.origin ?? 'default';
    settings[name] = layer
      ? parseSetting(name, layer.read(name), layer.origin)
      : table[name].fallback(environment);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name was filled in by its own parser.
  const config = { settings, origins: from } as unknown as Config;
  checkTogether(config.settings);
  return config;
}

/** `presignedUrlExpirySeconds` -> `FORENSICS_PRESIGNED_URL_EXPIRY_SECONDS`. */
export function variableOf(name: SettingName): string {
  return `FORENSICS_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** `presignedUrlExpirySeconds` -> `--presigned-url-expiry-seconds`. */
export function flagOf(name: SettingName): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** What may be shown to people: secrets are replaced, each value stands beside its origin. */
export function redacted(
  config: Config,
): Record<SettingName, { readonly value: unknown; readonly origin: Origin }> {
  const entries = settingNames.map((name) => {
    const value = config.settings[name];
    const shown = table[name].secret === true && value !== null ? '***' : value;
    return [name, { value: shown, origin: config.origins[name] }] as const;
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entries are those of all names.
  return Object.fromEntries(entries) as ReturnType<typeof redacted>;
}

function parseSetting(name: SettingName, value: unknown, origin: Origin): unknown {
  const parsed = table[name].parse(value);
  if (parsed !== undefined) return parsed;
  const where = { flag: flagOf(name), environment: variableOf(name), file: name, default: name }[
    origin
  ];
  throw new ForensicsError('config_invalid', `${where} must be ${table[name].allowed}.`);
}

function checkTogether(settings: Settings): void {
  if ((settings.tlsCert === null) !== (settings.tlsKey === null)) {
    const missing = settings.tlsCert === null ? 'tlsCert' : 'tlsKey';
    throw new ForensicsError(
      'config_invalid',
      `${flagOf('tlsCert')} and ${flagOf('tlsKey')} belong together; ${flagOf(missing)} is missing.`,
    );
  }
  if (settings.behindProxy && settings.tlsCert !== null) {
    throw new ForensicsError(
      'config_invalid',
      `${flagOf('behindProxy')} listens on plain HTTP; leave out ${flagOf('tlsCert')} and ${flagOf('tlsKey')}, the proxy holds the certificate.`,
    );
  }
}

function fileReader(
  configFile: string | undefined,
  environment: Environment,
): (name: SettingName) => unknown {
  const given = configFile ?? nonEmpty(environment['FORENSICS_CONFIG']);
  const file = given ?? join(configHome(environment), 'forensics', 'config.json');
  const values = readConfigFile(file, { mustExist: given !== undefined, known: settingNames });
  return (name) => values[name];
}

// One core is left to the server itself; each child may need memory for a whole picture.
function defaultWorkers(): number {
  return Math.min(4, Math.max(1, availableParallelism() - 1));
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(table, name);
}

function defaultDataDir(environment: Environment): string {
  const base = nonEmpty(environment['XDG_DATA_HOME']) ?? join(homedir(), '.local', 'share');
  return join(base, 'forensics');
}

function configHome(environment: Environment): string {
  return nonEmpty(environment['XDG_CONFIG_HOME']) ?? join(homedir(), '.config');
}

// An empty variable counts as not set, as the XDG rules say: `FORENSICS_PORT= forensics serve` means the default.
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
