/** Fields that every manifest of a model has, and how any of their fields is read: unknown in, checked types out. */

import { createHash } from 'node:crypto';
import { ForensicsError } from '../errors.ts';
import type { AnyManifest, StrategyThresholds } from './model.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** @throws {ForensicsError} `model_integrity` when `text` is no JSON object. */
export function rootOf(text: string, name: string): Fields {
  return fieldsOf(parseJson(text, name), name);
}

/** Who the model is and of which files it is made. @param text - the whole manifest, one of those files. */
export function identityFields(
  root: Fields,
  text: string,
): Pick<AnyManifest, 'id' | 'version' | 'created' | 'files'> {
  return {
    id: identifierOf(root['id'], 'id'),
    version: textOf(root['version'], 'version'),
    created: dateOf(root['created'], 'created'),
    files: { ...filesOf(root['files']), 'manifest.json': digestOf(text) },
  };
}

export function damaged(detail: string): ForensicsError {
  return new ForensicsError(
    'model_integrity',
    `The model's description is damaged (${detail}); reinstall the model, or correct its manifest.`,
  );
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ForensicsError(
      'model_integrity',
      `${name} of the model is not JSON; reinstall the model.`,
      { cause: error },
    );
  }
}

export function fieldsOf(value: unknown, name: string): Fields {
  if (isFields(value)) return value;
  throw damaged(`${name} is not an object`);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listOf<T>(
  value: unknown,
  name: string,
  read: (entry: unknown, name: string) => T,
): readonly T[] {
  if (!Array.isArray(value)) throw damaged(`${name} is not a list`);
  return value.map((entry: unknown, at) => read(entry, `${name}[${at}]`));
}

export function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' && value.length > 0) return value;
  throw damaged(`${name} is not a text`);
}

function dateOf(value: unknown, name: string): string {
  const text = textOf(value, name);
  if (Number.isNaN(Date.parse(text))) throw damaged(`${name} is not a date`);
  return text;
}

function identifierOf(value: unknown, name: string): string {
  if (typeof value === 'string' && /^[a-z0-9][a-z0-9._-]{0,63}$/.test(value)) return value;
  throw damaged(`${name} is not an identifier`);
}

export function numberOf(value: unknown, name: string, min: number, max: number): number {
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw damaged(`${name} is not a number from ${min} to ${max}`);
}

export function wholeOf(value: unknown, name: string, min: number, max: number): number {
  const number = numberOf(value, name, min, max);
  if (Number.isInteger(number)) return number;
  throw damaged(`${name} is not a whole number`);
}

function filesOf(value: unknown): AnyManifest['files'] {
  const entries = Object.entries(fieldsOf(value, 'files')).map(([name, entry]) => {
    if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name)) throw damaged('files names a path');
    const fields = fieldsOf(entry, `files.${name}`);
    const sha256 = fields['sha256'];
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) {
      throw damaged(`files.${name}.sha256 is not a SHA-256`);
    }
    return [
      name,
      { sha256, bytes: wholeOf(fields['bytes'], `files.${name}.bytes`, 1, 2 ** 31) },
    ] as const;
  });
  return Object.fromEntries(entries);
}

/** Thresholds and calibration decide no less than weights do, so the manifest is a file of its model like the others. */
function digestOf(text: string): AnyManifest['files'][string] {
  const bytes = Buffer.from(text);
  return { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length };
}

/** A name that the code fixes and a manifest may repeat: a model that was made for other ones would not be understood. */
export function checkNamed(value: unknown, name: string, fixed: string | readonly string[]): void {
  if (value === undefined || JSON.stringify(value) === JSON.stringify(fixed)) return;
  throw damaged(`${name} is not ${JSON.stringify(fixed)}`);
}

export function thresholdsOf(
  value: unknown,
  name: string,
  order: 'falling' | 'rising',
  [min, max]: readonly [number, number],
): StrategyThresholds {
  const fields = fieldsOf(value, name);
  const read = (strategy: string) => numberOf(fields[strategy], `${name}.${strategy}`, min, max);
  const [pedantic, balanced, relaxed] = [read('pedantic'), read('default'), read('relaxed')];
  const sign = order === 'rising' ? 1 : -1;
  if (sign * (balanced - pedantic) < 0 || sign * (relaxed - balanced) < 0) {
    throw damaged(`${name} is not ${order} from pedantic to relaxed`);
  }
  return { pedantic, default: balanced, relaxed };
}
