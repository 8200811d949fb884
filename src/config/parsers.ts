/** The kinds of settings: a TypeBox schema each, with what people are told and how a given text becomes a value. */

import { resolve } from 'node:path';
import { type TSchema, Type } from 'typebox';

export type Environment = Readonly<Record<string, string | undefined>>;

type Value = string | number | boolean | null | readonly string[];

export interface Keywords {
  /** What it is for: a line without a full stop. */
  readonly description: string;
  /** As it ends the sentence "FORENSICS_PORT must be ...". */
  readonly allowed: string;
  /** A function where it differs from machine to machine. */
  readonly default: Value | ((environment: Environment) => Value);
  /** From the text of a flag or variable, or from the file's JSON; undefined for what is not allowed. */
  readonly convert: (given: unknown) => unknown;
  /** What stands for the value in `--port <n>`; null for a flag without value. */
  readonly placeholder: string | null;
  readonly secret?: boolean;
}

type Fallback<T> = T | ((environment: Environment) => T);

function setting<T extends TSchema>(schema: T, keywords: Keywords): T & Keywords {
  return Object.assign(schema, keywords);
}

type Bounds = readonly [minimum: number, maximum: number];

export function integer(bounds: Bounds, fallback: Fallback<number>, description: string) {
  const [minimum, maximum] = bounds;
  return setting(Type.Integer({ minimum, maximum }), {
    description,
    allowed: `an integer from ${minimum} to ${maximum}`,
    default: fallback,
    placeholder: 'n',
    convert: (given) =>
      typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : given,
  });
}

export function truth(description: string) {
  const words: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };
  return setting(Type.Boolean(), {
    description,
    allowed: 'true or false',
    default: false,
    placeholder: null,
    convert: (given) => (typeof given === 'string' ? words[given] : given),
  });
}

export function oneOf<const T extends string>(
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

export function required(kind: TextKind, fallback: Fallback<string>, description: string) {
  return setting(Type.String(), { ...keywordsOf(kind), description, default: fallback });
}

/** A text, or null when nobody gives one. */
export function optional(kind: TextKind, description: string) {
  const schema = Type.Union([Type.String(), Type.Null()]);
  return setting(schema, { ...keywordsOf(kind), description, default: null });
}

/** The same, never shown to people and never taken from a flag, which other users of the machine could read. */
export function secret(kind: TextKind, description: string) {
  return Object.assign(optional(kind, description), { secret: true });
}

/** In a flag or variable the entries are parted by commas. */
export function list(kind: TextKind, fallback: readonly string[], description: string) {
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

function keywordsOf(kind: TextKind) {
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
  jsonFile: { allowed: 'the path of a JSON file', placeholder: 'file', parse: path },
  host: {
    allowed: 'a host name or an IP address',
    placeholder: 'host',
    parse: matching(/^[0-9a-z._:-]{1,253}$/i),
  },
  hostAndPort: {
    allowed: 'host:port, such as 127.0.0.1:9464',
    parse: (text) => {
      const port = /^(?:\[[0-9a-f:]+\]|[0-9a-z._-]{1,253}):(\d{1,5})$/i.exec(text)?.[1];
      return port !== undefined && Number(port) <= 65_535 ? text : undefined;
    },
  },
  httpsOrigin: {
    allowed: 'an https:// address without path, such as https://forensics.example',
    placeholder: 'url',
    parse: (text) => {
      const url = URL.parse(text);
      const isOrigin = url?.protocol === 'https:' && url.pathname === '/' && url.search === '';
      return isOrigin && url.username === '' ? url.origin : undefined;
    },
  },
  // No slash is added or taken away: issuers are compared letter by letter. No password, for it is shown to people.
  issuer: {
    allowed: 'the https:// address of an OpenID Connect issuer, without user name and password',
    parse: (text) => {
      const url = urlWith(['https:'], text);
      return url?.username === '' && url.password === '' ? text : undefined;
    },
  },
  smtpUrl: {
    allowed: 'an smtp:// or smtps:// address',
    parse: (text) => (urlWith(['smtp:', 'smtps:'], text) ? text : undefined),
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
    allowed: 'external, private and address ranges such as 10.1.0.0/16',
    parse: matching(/^(external|private|[0-9a-f.:]+\/\d{1,3})$/i),
  },
  mailAddress: {
    allowed: 'a mail address',
    parse: matching(/^[^\s@<>,;]{1,64}@[^\s@<>,;]{1,255}$/),
  },
  line: { allowed: 'a text of one line', parse: matching(/^\P{Cc}{1,1024}$/u) },
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
