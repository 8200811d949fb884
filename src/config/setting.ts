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

export function webOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.origin === text && /^https?:$/.test(url.protocol);
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
