/** What a single setting may be. Each parser answers the value, or undefined for what is not allowed. */

import { resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Setting<T> {
  /** What is allowed, as it ends the sentence "port must be ...". */
  readonly allowed: string;
  /** The value, or undefined when it is not allowed. Text comes from flags and the environment. */
  readonly parse: (value: unknown) => T | undefined;
  readonly fallback: (environment: Environment) => T;
  readonly secret?: boolean;
}

/** A setting with what people are told of it. */
export interface Described {
  /** What it is for, in a line without a full stop; how it may be written follows from `allowed`. */
  readonly about: string;
  /** The default in words, where it differs from machine to machine. */
  readonly fallbackText?: string;
}

export function integer(from: number, to: number, fallback: () => number): Setting<number> {
  const parse = (value: unknown): number | undefined => {
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string' || !/^\d{1,15}$/.test(text)) return undefined;
    const parsed = Number(text);
    return parsed >= from && parsed <= to ? parsed : undefined;
  };
  return { allowed: `an integer from ${from} to ${to}`, parse, fallback };
}

export function path(value: unknown): string | undefined {
  return typeof value === 'string' && !value.includes('\0') ? resolve(value) : undefined;
}

export function truth(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === '1') return true;
  return value === 'false' || value === '0' ? false : undefined;
}

export function hostName(value: unknown): string | undefined {
  return typeof value === 'string' && /^[0-9a-z._:-]{1,253}$/i.test(value) ? value : undefined;
}

export function httpsOrigin(value: unknown): string | undefined {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  const isOrigin = url?.protocol === 'https:' && url.pathname === '/' && url.search === '';
  return isOrigin && url.username === '' ? url.origin : undefined;
}

/**
 * An https address with a path, as issuers have; no slash is added or taken away: issuers are compared letter by letter. None
 * with a password in it: it is shown to people.
 */
export function httpsUrl(value: unknown): string | undefined {
  const text = urlOf(value, ['https:']);
  if (text === undefined) return undefined;
  const { username, password } = new URL(text);
  return username === '' && password === '' ? text : undefined;
}

/** The text itself when it is an address of one of these schemes, such as `smtp:`. */
export function urlOf(value: unknown, schemes: readonly string[]): string | undefined {
  if (typeof value !== 'string') return undefined;
  const url = URL.parse(value);
  return url !== null && url.host !== '' && schemes.includes(url.protocol) ? value : undefined;
}

export function hostAndPort(value: unknown): string | undefined {
  const port =
    typeof value === 'string'
      ? /^(?:\[[0-9a-f:]+\]|[0-9a-z._-]{1,253}):(\d{1,5})$/i.exec(value)?.[1]
      : undefined;
  return port !== undefined && Number(port) <= 65_535 ? String(value) : undefined;
}

export function mailAddress(value: unknown): string | undefined {
  return typeof value === 'string' && /^[^\s@<>,;]{1,64}@[^\s@<>,;]{1,255}$/.test(value)
    ? value
    : undefined;
}

/** Any one-line text that is not empty. */
export function line<T extends string | null>(fallback: T): Setting<string | T> {
  return { allowed: 'a text of one line', parse: oneLine, fallback: () => fallback };
}

function oneLine(value: unknown): string | undefined {
  return typeof value === 'string' && /^\P{Cc}{1,1024}$/u.test(value) ? value : undefined;
}

export function webOrigin(entry: string): boolean {
  const url = URL.parse(entry);
  return url !== null && url.origin === entry && /^https?:$/.test(url.protocol);
}

export function list(
  value: unknown,
  isAllowed: (entry: string) => boolean,
): readonly string[] | undefined {
  const given: unknown = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(given)) return undefined;
  const entries = given.map((entry) => (typeof entry === 'string' ? entry.trim() : ''));
  return entries.every((entry) => isAllowed(entry)) ? entries : undefined;
}

/** An empty variable counts as not set, as the XDG rules say. */
export function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
