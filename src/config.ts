/**
 * Every setting in one table: its name in a config file, its flag, its environment variable, what it may be and what
 * it is when nobody says anything. A flag beats the environment, the environment beats the file, the file beats the
 * default. Knows no room that uses the settings.
 */

import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ConfigFile, readConfigFile } from './config/file.ts';
import { type Environment, nonEmpty } from './config/setting.ts';
import type { Settings } from './config/settings.ts';
import { table } from './config/table.ts';
import { ForensicsError } from './errors.ts';

export { type LogLevel, logLevels, type Settings } from './config/settings.ts';

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
  /** The config file that was read, if any. */
  readonly file: string | null;
}

/** A setting as people may see it. */
export interface ShownSetting {
  readonly value: unknown;
  readonly origin: Origin;
  /** How it is called there: the flag, the variable, the name in the file; null for a default. */
  readonly givenAs: string | null;
}

export const settingNames: readonly SettingName[] = Object.keys(table).filter(isSettingName);

/**
 * The settings of this run and where each came from.
 *
 * @throws {ForensicsError} `config_invalid`: names the setting, where it was given and what it may be.
 */
export function readConfig(sources: Sources = {}): Config {
  const environment = sources.environment ?? process.env;
  const file = openFile(sources.configFile, environment);
  const layers: readonly {
    readonly origin: Origin;
    readonly read: (name: SettingName) => unknown;
  }[] = [
    { origin: 'flag', read: (name) => sources.flags?.[name] },
    { origin: 'environment', read: (name) => environment[variableOf(name)] },
    { origin: 'file', read: (name) => file.values[name] },
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
  const config = { settings, origins: from, file: file.path } as unknown as Config;
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
export function redacted(config: Config): Record<SettingName, ShownSetting> {
  const entries = settingNames.map((name) => {
    const value = config.settings[name];
    const shown = table[name].secret === true && value !== null ? '***' : value;
    const origin = config.origins[name];
    return [name, { value: shown, origin, givenAs: givenAs(name, origin) }] as const;
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entries are those of all names.
  return Object.fromEntries(entries) as ReturnType<typeof redacted>;
}

function parseSetting(name: SettingName, value: unknown, origin: Origin): unknown {
  const parsed = table[name].parse(value);
  if (parsed !== undefined) return parsed;
  const where = givenAs(name, origin) ?? name;
  throw new ForensicsError('config_invalid', `${where} must be ${table[name].allowed}.`);
}

function givenAs(name: SettingName, origin: Origin): string | null {
  return { flag: flagOf(name), environment: variableOf(name), file: name, default: null }[origin];
}

function checkTogether(settings: Settings): void {
  checkOidc(settings);
  checkFeedback(settings);
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

function checkOidc({ oidcIssuer, oidcClientId }: Settings): void {
  if ((oidcIssuer === null) === (oidcClientId === null)) return;
  throw new ForensicsError(
    'config_invalid',
    `${variableOf('oidcIssuer')} and ${variableOf('oidcClientId')} belong together; set both or neither.`,
  );
}

function checkFeedback({ feedbackMailTo, feedbackMailFrom, feedbackSmtpUrl }: Settings): void {
  const given = [feedbackMailTo, feedbackMailFrom, feedbackSmtpUrl].filter(
    (value) => value !== null,
  );
  if (given.length === 0 || given.length === 3) return;
  throw new ForensicsError(
    'config_invalid',
    `${variableOf('feedbackMailTo')}, ${variableOf('feedbackMailFrom')} and ${variableOf('feedbackSmtpUrl')} belong together; set all or none.`,
  );
}

function openFile(configFile: string | undefined, environment: Environment): ConfigFile {
  const given = configFile ?? nonEmpty(environment['FORENSICS_CONFIG']);
  const file = given ?? join(configFolder(environment), 'config.json');
  return readConfigFile(file, { mustExist: given !== undefined, known: settingNames });
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(table, name);
}

/** Where files of settings are found that nobody named. */
export function configFolder(environment: Environment = process.env): string {
  const home = nonEmpty(environment['XDG_CONFIG_HOME']) ?? join(homedir(), '.config');
  return join(home, 'forensics');
}

// An empty variable counts as not set, as the XDG rules say: `FORENSICS_PORT= forensics serve` means the default.
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
