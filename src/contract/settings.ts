/** All settings, each declared once. Flag, variable, help and the manual's table follow from its key. */

import { availableParallelism, homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Static, type TSchema, Type } from 'typebox';
import { Check } from 'typebox/value';
import { intakes, maxPresignedUrlExpirySeconds, maxUploadBytes } from './limits.ts';

// The kinds of settings. Each has a schema, a wording for messages, and a conversion from text to a value.

export type Environment = Readonly<Record<string, string | undefined>>;

type Value = string | number | boolean | null | readonly string[];

interface Keywords {
  /** The purpose of the setting, in one line without a full stop. */
  readonly description: string;
  /** Completes the sentence "FORENSICS_PORT must be ...". */
  readonly allowed: string;
  /** A function if the default depends on the machine. */
  readonly default: Value | ((environment: Environment) => Value);
  /** Converts the text of a flag or variable, or JSON from the file; undefined if not permitted. */
  readonly convert: (given: unknown) => unknown;
  /** The placeholder in `--port <n>`; null for a flag without a value. */
  readonly placeholder: string | null;
  readonly secret?: boolean;
}

type Fallback<T> = T | ((environment: Environment) => T);

function setting<T extends TSchema>(schema: T, keywords: Keywords): T & Keywords {
  return Object.assign(schema, keywords);
}

function integer(
  [minimum, maximum]: readonly [number, number],
  fallback: Fallback<number>,
  description: string,
) {
  return setting(Type.Integer({ minimum, maximum }), {
    description,
    allowed: `an integer from ${minimum} to ${maximum}`,
    default: fallback,
    placeholder: 'n',
    convert: (given) =>
      typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : given,
  });
}

function onOff(description: string) {
  const words: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };
  return setting(Type.Boolean(), {
    description,
    allowed: 'true or false',
    default: false,
    placeholder: null,
    convert: (given) => (typeof given === 'string' ? words[given] : given),
  });
}

function oneOf<const T extends string>(
  values: readonly T[],
  fallback: T,
  placeholder: string,
  description: string,
) {
  return setting(Type.Enum([...values]), {
    description,
    allowed: `one of ${values.join(', ')}`,
    default: fallback,
    placeholder,
    convert: (given) => given,
  });
}

function required(kind: TextKind, fallback: Fallback<string>, description: string) {
  return setting(Type.String(), { ...textKeywords(kind), description, default: fallback });
}

/** A string setting that is null if it is not set. */
function optional(kind: TextKind, description: string) {
  const schema = Type.Union([Type.String(), Type.Null()]);
  return setting(schema, { ...textKeywords(kind), description, default: null });
}

/** A setting that is never displayed and cannot be a flag, which other users of the machine could read. */
function secret(kind: TextKind, description: string) {
  return Object.assign(optional(kind, description), { secret: true });
}

/** A list; entries in a flag or variable are separated by commas. */
function list(kind: TextKind, fallback: readonly string[], description: string) {
  const { allowed, parse } = texts[kind];
  return setting(Type.Array(Type.String()), {
    description,
    allowed: `a list of ${allowed}`,
    default: fallback,
    placeholder: 'list',
    convert: (given) => {
      const entries: unknown = typeof given === 'string' ? given.split(',') : given;
      if (!Array.isArray(entries)) return undefined;
      return entries.map((entry) => (typeof entry === 'string' ? parse(entry.trim()) : undefined));
    },
  });
}

function textKeywords(kind: TextKind) {
  const { allowed, placeholder = 'text', parse }: Text = texts[kind];
  const convert = (given: unknown) => (typeof given === 'string' ? parse(given) : undefined);
  return { allowed, placeholder, convert };
}

interface Text {
  readonly allowed: string;
  readonly placeholder?: string;
  readonly parse: (text: string) => string | undefined;
}

const path = (text: string) => (text.includes('\0') ? undefined : resolve(text));

const texts = {
  folder: { allowed: 'the path of a folder', placeholder: 'dir', parse: path },
  pemFile: { allowed: 'the path of a PEM file', placeholder: 'file', parse: path },
  file: { allowed: 'the path of a file', placeholder: 'file', parse: path },
  jsonFile: { allowed: 'the path of a JSON file', placeholder: 'file', parse: path },
  host: {
    allowed: 'a host name or an IP address',
    placeholder: 'host',
    parse: (text) => {
      const host = text.includes(':') ? `[${text}]` : text;
      return /^[0-9a-z._:-]{1,253}$/i.test(text) && URL.canParse(`http://${host}`)
        ? text
        : undefined;
    },
  },
  hostAndPort: {
    allowed: 'host:port, such as 127.0.0.1:9464',
    parse: (text) => {
      const port = /^(?:\[[0-9a-f:]+\]|[0-9a-z._-]{1,253}):(\d{1,5})$/i.exec(text)?.[1];
      return port !== undefined && URL.canParse(`http://${text}`) ? text : undefined;
    },
  },
  httpsOrigin: {
    allowed: 'an https:// address without a path, such as https://forensics.example',
    placeholder: 'url',
    parse: (text) => {
      const url = URL.parse(text);
      const isOrigin = url?.protocol === 'https:' && url.pathname === '/' && url.search === '';
      return isOrigin && url.username === '' ? url.origin : undefined;
    },
  },
  // Issuers are compared character by character, slashes too. No password, because the address is displayed.
  issuer: {
    allowed: 'the https:// address of an OpenID Connect issuer, without user name and password',
    parse: (text) => {
      const url = urlWith(['https:'], text);
      return url?.username === '' && url.password === '' ? text : undefined;
    },
  },
  postgresUrl: {
    allowed:
      'a postgres:// address such as postgres://forensics@db.example/forensics?sslmode=verify-full',
    parse: (text) => (urlWith(['postgres:', 'postgresql:'], text) ? text : undefined),
  },
  webUrl: {
    allowed: 'an http:// or https:// address',
    parse: (text) => (urlWith(['http:', 'https:'], text) ? text : undefined),
  },
  webOrigin: { allowed: 'origins such as https://app.example', parse: webOrigin },
  anyOrigin: {
    allowed: 'origins such as https://app.example',
    parse: (text) => (text === '*' ? text : webOrigin(text)),
  },
  addressRange: {
    allowed: 'address ranges such as 10.1.0.0/16, or the words external and private',
    parse: matching(/^(external|private|[0-9a-f.:]+\/\d{1,3})$/i),
  },
  line: { allowed: 'one line of text', parse: matching(/^\P{Cc}{1,1024}$/u) },
  validationId: {
    allowed: 'the id of a validation, 24 hexadecimal digits',
    parse: matching(/^[0-9a-f]{24}$/),
  },
  masterKey: {
    allowed: '64 hexadecimal digits',
    parse: (text) => (/^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : undefined),
  },
} satisfies Readonly<Record<string, Text>>;

type TextKind = keyof typeof texts;

function matching(pattern: RegExp): (text: string) => string | undefined {
  return (text) => (pattern.test(text) ? text : undefined);
}

function urlWith(schemes: readonly string[], text: string): URL | null {
  const url = URL.parse(text);
  return url !== null && url.host !== '' && schemes.includes(url.protocol) ? url : null;
}

function webOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  return url?.origin === text && /^https?:$/.test(url.protocol) ? text : undefined;
}

export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

const maxRetentionDays = 36_500;

export const settingsSchema = Type.Object({
  dataDir: required(
    'folder',
    ({ XDG_DATA_HOME: base = '' }) =>
      join(base === '' ? join(homedir(), '.local', 'share') : base, 'forensics'),
    'where the server keeps everything',
  ),
  host: required('host', '127.0.0.1', 'the address to listen on'),
  port: integer([0, 65_535], 8443, 'the port to listen on; 0 picks a free one'),
  publicUrl: optional(
    'httpsOrigin',
    'the address that clients put before `/v1`, if it differs from host and port; presigned URLs are signed for it',
  ),
  tlsCert: optional('pemFile', 'your certificate; without it, one from the built-in authority'),
  tlsKey: optional('pemFile', 'the private key of your certificate'),
  behindProxy: onOff(
    'plain HTTP, only for a proxy on this machine that sends `X-Forwarded-Proto: https`',
  ),
  validation: optional('validationId', 'your own validation, for reports to cite'),
  modelsDir: optional(
    'folder',
    'contains the folders of additional models; without it, `models` in the data folder',
  ),
  c2paTrustList: optional('pemFile', 'the authorities whose C2PA signers are trusted'),
  workers: integer(
    [0, 64],
    // Leaves one core to the server itself; each child may need memory for a whole picture.
    () => Math.min(4, Math.max(1, availableParallelism() - 1)),
    'child processes that examine pictures; 0 leaves the analyses to `forensics worker`',
  ),
  leaseSeconds: integer(
    [2, 600],
    15,
    'seconds after which an analysis is resumed if the process running it has crashed',
  ),
  intake: oneOf(
    intakes,
    'contract',
    'what',
    'what is accepted: JPEG and PNG up to 4,096 pixels a side (contract), or everything up to 16,384 pixels and 100 megapixels',
  ),
  maxUploadBytes: integer([1024, 1_000_000_000], maxUploadBytes, 'the largest upload'),
  presignedUrlExpirySeconds: integer(
    [60, maxPresignedUrlExpirySeconds],
    maxPresignedUrlExpirySeconds,
    'how long URLs for the embedded store are valid',
  ),
  retentionDays: integer(
    [0, maxRetentionDays],
    0,
    'days after which a finished or never-started analysis is deleted; 0 keeps it',
  ),
  deletedRetentionDays: integer(
    [0, maxRetentionDays],
    30,
    'days after which a deleted analysis and its objects are purged; `forensics hold` prevents it',
  ),
  corsAllowedOrigins: list(
    'anyOrigin',
    [],
    "browser origins whose pages may upload and download; without it, only the server's own addresses",
  ),
  fetchAllow: list('addressRange', ['external'], 'where `analyze` may fetch pictures from'),
  webhookAllow: list('addressRange', ['external'], 'where webhooks may go'),
  // Not `private`: otherwise, a tenant could find open hosts and ports by trying to reach a store there.
  storageAllow: list(
    'addressRange',
    ['external'],
    'where stores that tenants configure may be. Allow no more than needed: anyone who can configure a store can find out what answers there',
  ),
  databaseUrl: secret(
    'postgresUrl',
    'a PostgreSQL database that several machines share; without it, the file in the data folder',
  ),
  databasePasswordFile: optional('file', 'holds the password of that database'),
  defaultStorage: optional(
    'jsonFile',
    'describes the S3 bucket or Azure container for tenants without one of their own, and must have mode 600; without it, the embedded store',
  ),
  rateLimitPerMinute: integer(
    [0, 1_000_000],
    3000,
    'requests per minute from one key, user or address; 0 sets no limit',
  ),
  apiCorsAllowedOrigins: list('webOrigin', [], 'browser origins whose pages may call the API'),
  metricsAddress: optional('hostAndPort', 'where Prometheus may read metrics over plain HTTP'),
  oidcIssuer: optional(
    'issuer',
    'the identity provider that manages the users, exactly as it spells its own address; without it, the accounts of this installation',
  ),
  oidcClientId: optional('line', 'the client id of this service at that provider'),
  oidcClientSecret: secret('line', 'its client secret there, if it needs one'),
  oidcAudience: optional(
    'line',
    'the audience that access tokens must have; without it, the client id',
  ),
  oidcScopesClaim: required('line', 'scope', 'the claim that holds the scopes'),
  oidcUserTypeClaim: required(
    'line',
    'userType',
    'the claim that holds the user type: a word, or a list of roles from which one is chosen, such as `realm_access.roles`',
  ),
  oidcTenantsClaim: required(
    'line',
    'tenants',
    'the claim that holds the tenants by name or id: a list, such as `groups`, or words separated by spaces',
  ),
  oidcCa: optional(
    'pemFile',
    'the authority of a provider whose certificate was not issued by a public one',
  ),
  feedbackWebhookUrl: secret('webUrl', 'your own receiver for feedback'),
  logLevel: oneOf(logLevels, 'info', 'level', 'how much is logged; on a terminal, warn by default'),
  hashLoggedAccounts: onOff(
    'log the accounts of refused logins and keys as hashes instead of in the clear',
  ),
  masterKey: secret('masterKey', 'the master key, instead of the file in the data folder'),
});

type Values = Static<typeof settingsSchema>;
export type SettingName = keyof Values;
export type Settings = {
  readonly [Name in SettingName]: Values[Name] extends string[] ? readonly string[] : Values[Name];
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these are the keys of that object.
export const settingNames = Object.keys(settingsSchema.properties) as readonly SettingName[];

/** `presignedUrlExpirySeconds` -> `FORENSICS_PRESIGNED_URL_EXPIRY_SECONDS`. */
export function variableOf(name: SettingName): string {
  return `FORENSICS_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** `presignedUrlExpirySeconds` -> `--presigned-url-expiry-seconds`. */
export function flagOf(name: SettingName): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The permitted values, completing the sentence "FORENSICS_PORT must be ...". */
export function allowedFor(name: SettingName): string {
  return settingsSchema.properties[name].allowed;
}

/** Converts a value given as text, or as JSON in the file; undefined if it is not permitted. */
export function parseSetting(name: SettingName, given: unknown): unknown {
  const schema = settingsSchema.properties[name];
  const value = schema.convert(given);
  return value !== null && Check(schema, value) ? value : undefined;
}

export function defaultFor(name: SettingName, environment: Environment) {
  const { default: fallback }: Keywords = settingsSchema.properties[name];
  return typeof fallback === 'function' ? fallback(environment) : fallback;
}

/** `--port <n>` and its meaning, for a command's help. */
export function helpFor(name: SettingName): readonly [flags: string, text: string] {
  const { description, placeholder } = settingsSchema.properties[name];
  if (placeholder === null) return [flagOf(name), description.replaceAll('`', '')];
  const notes = name === 'logLevel' ? [allowedFor(name)] : [];
  const shown = shownDefault(name);
  if (shown !== null) notes.push(`default: ${shown}`);
  const text = notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
  return [`${flagOf(name)} <${placeholder}>`, text.replaceAll('`', '')];
}

/** The default in words, the same on every machine; null if there is none. */
export function shownDefault(name: SettingName): string | null {
  if (name === 'workers') return 'one less than the number of cores, at most 4';
  const value = defaultFor(name, { XDG_DATA_HOME: '$XDG_DATA_HOME' });
  const shown = Array.isArray(value) ? value.join(', ') : value;
  return shown === null || shown === '' ? null : `\`${String(shown)}\``;
}
