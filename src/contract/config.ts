/** The settings of a run: flags override environment variables, these the config file, and this the defaults. */

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { configInvalid } from './errors.ts';
import {
  allowedFor,
  defaultFor,
  type Environment,
  flagOf,
  parseSetting,
  type SettingName,
  settingNames,
  type Settings,
  settingsSchema,
  variableOf,
} from './settings.ts';

export type { Settings } from './settings.ts';

type Origin = 'flag' | 'environment' | 'file' | 'default';

/** Where values may come from. Flags are strings, numbers, booleans or lists; undefined means not given. */
export interface Sources {
  readonly flags?: Readonly<Partial<Record<SettingName, unknown>>>;
  readonly environment?: Environment;
  /** A file that must exist; if absent, `forensics/config.json` in the XDG config folder is read if it exists. */
  readonly configFile?: string | undefined;
}

interface Config {
  readonly settings: Settings;
  readonly origins: Readonly<Record<SettingName, Origin>>;
  readonly file: string | null;
}

/** @throws {ForensicsError} `config_invalid` with the setting, its source and the permitted values. */
export function readConfig(sources: Sources = {}): Config {
  const environment = sources.environment ?? process.env;
  const file = openFile(sources.configFile, environment);
  const settings: Partial<Record<SettingName, unknown>> = {};
  const from: Partial<Record<SettingName, Origin>> = {};
  for (const name of settingNames) {
    const layers: readonly (readonly [Origin, unknown])[] = [
      ['flag', sources.flags?.[name]],
      ['environment', environment[variableOf(name)]],
      ['file', file.values[name]],
    ];
    // An empty variable counts as unset, as XDG requires: `FORENSICS_PORT= forensics serve` uses the default.
    const [origin, given] = layers.find(([, value]) => (value ?? '') !== '') ?? ['default', null];
    from[name] = origin;
    settings[name] =
      origin === 'default' ? defaultFor(name, environment) : settingFrom(origin, name, given);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name was filled in by its own parser.
  const config = { settings, origins: from, file: file.path } as unknown as Config;
  checkTogether(config.settings);
  return config;
}

/** `givenAs` is the name in the origin: a flag, a variable or a key in the file; null for a default. */
export function redacted(config: Config) {
  const entries = settingNames.map((name) => {
    const value = config.settings[name];
    const shown = settingsSchema.properties[name].secret === true && value !== null ? '***' : value;
    const origin = config.origins[name];
    return [name, { value: shown, origin, givenAs: givenAs(name, origin) }] as const;
  });
  return Object.fromEntries(entries);
}

function settingFrom(origin: Origin, name: SettingName, given: unknown): unknown {
  const value = parseSetting(name, given);
  if (value !== undefined) return value;
  const where = givenAs(name, origin) ?? name;
  throw configInvalid(`${where} must be ${allowedFor(name)}.`);
}

function givenAs(name: SettingName, origin: Origin): string | null {
  return { flag: flagOf(name), environment: variableOf(name), file: name, default: null }[origin];
}

function checkTogether(settings: Settings): void {
  if ((settings.oidcIssuer === null) !== (settings.oidcClientId === null)) {
    throw configInvalid(
      `${variableOf('oidcIssuer')} and ${variableOf('oidcClientId')} belong together; set both or neither.`,
    );
  }
  if ((settings.tlsCert === null) !== (settings.tlsKey === null)) {
    const missing = settings.tlsCert === null ? 'tlsCert' : 'tlsKey';
    throw configInvalid(
      `${flagOf('tlsCert')} and ${flagOf('tlsKey')} belong together; ${flagOf(missing)} is missing.`,
    );
  }
  if (settings.behindProxy && settings.tlsCert !== null) {
    throw configInvalid(
      `${flagOf('behindProxy')} listens for plain HTTP; leave out ${flagOf('tlsCert')} and ${flagOf('tlsKey')}, because the proxy has the certificate.`,
    );
  }
}

/** The file must be one JSON object whose keys are names of settings; any other key is a typo and is rejected. */
function openFile(configFile: string | undefined, environment: Environment) {
  const { FORENSICS_CONFIG: variable = '' } = environment;
  const given = configFile ?? (variable === '' ? undefined : variable);
  const file = given ?? join(configFolder(environment), 'config.json');
  let values: Readonly<Record<string, unknown>> = {};
  if (given === undefined && !existsSync(file)) return { path: null, values };
  values = parseFile(readFile(file));
  const known: readonly string[] = settingNames;
  const unknownName = Object.keys(values).find((name) => !known.includes(name));
  if (unknownName === undefined) return { path: resolve(file), values };
  throw configInvalid(
    `The config file contains an unknown setting, "${unknownName}"; the known ones are ${known.join(', ')}.`,
  );
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const message = existsSync(file)
      ? 'The config file cannot be read.'
      : 'The config file does not exist.';
    throw configInvalid(message, { cause: error });
  }
}

function parseFile(text: string): Readonly<Record<string, unknown>> {
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    // Drops the cause: the parser's message quotes the text, which may contain secrets.
    throw configInvalid('The config file is not valid JSON.');
  }
  if (typeof values === 'object' && values !== null && !Array.isArray(values)) return { ...values };
  throw configInvalid('The config file must contain a single JSON object.');
}

export function configFolder(environment: Environment = process.env): string {
  const { XDG_CONFIG_HOME: home = '' } = environment;
  return join(home === '' ? join(homedir(), '.config') : home, 'forensics');
}
