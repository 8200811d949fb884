/** Says in one sentence why a value does not match a schema: which member, and what it must be. */

import type { TLocalizedValidationError } from 'typebox/error';
import { timeForm, visible } from './common.ts';

/** The part of JSON Schema that our schemas use. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  /** If there is a pattern, says what it allows, as the end of a sentence. */
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Name of the setting that determines the limit. */
  readonly 'x-setting'?: string;
}

/** @param problems - what TypeBox found, of which the first is explained. */
export function explain(problems: readonly TLocalizedValidationError[], root: Schema): string {
  const [problem] = problems;
  if (problem === undefined) return 'The request is not valid.';
  // `/input/tags/0` -> `['input', 'tags', '0']`, undoing the two escapes of RFC 6901.
  const parts = problem.instancePath.split('/').slice(1);
  const path = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (problem.keyword === 'required') {
    const missing = [...path, problem.params.requiredProperties[0] ?? ''];
    return `${named(missing)} is missing; it must be ${allowed(schemaAt(root, missing))}.`;
  }
  if (problem.keyword === '~refine') return `${named(path)} ${problem.message}.`.trimStart();
  if (path.length === 0) return 'The body must be a JSON object.';
  const schema = schemaAt(root, path);
  if (schema) return `${named(path)} must be ${allowed(schema)}.`;
  const known = Object.keys(inside(schemaAt(root, path.slice(0, -1)))?.properties ?? {});
  return `${named(path)} is not known; the known members are ${known.join(', ')}.`;
}

// A caller may have chosen the last name, so it is cut to one line without control characters.
function named(path: readonly string[]): string {
  return path.map((step) => step.replace(/[^\x20-\x7e]/g, '?').slice(0, 64)).join('.');
}

function schemaAt(root: Schema, path: readonly string[]): Schema | undefined {
  let schema: Schema | undefined = root;
  for (const step of path) {
    const around = inside(schema);
    const members: Readonly<Record<string, Schema>> = around?.properties ?? {};
    schema = Object.hasOwn(members, step) ? members[step] : around?.items;
  }
  return schema;
}

/** For a schema of the form "X or null", returns X, because only X has members. */
function inside(schema: Schema | undefined): Schema | undefined {
  return schema?.anyOf?.find(({ properties, items }) => properties ?? items) ?? schema;
}

/** The end of the sentence "width must be ...". */
function allowed(schema: Schema | undefined): string {
  if (!schema) return 'given';
  const { 'x-setting': setting } = schema;
  const more = setting === undefined ? '' : `; the server's ${setting} setting can allow more`;
  if (schema.anyOf) return schema.anyOf.map(allowed).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum)
    return `${schema.enum.length > 1 ? 'one of ' : ''}${schema.enum.join(', ')}${more}`;
  switch (schema.type) {
    case 'integer':
    case 'number':
      return `${schema.type === 'integer' ? 'an integer' : 'a number'}${range(schema.minimum, schema.maximum)}${more}`;
    case 'string':
      if (schema.format === 'date-time') return 'an ISO 8601 date and time';
      if (schema.format === 'iso-time') return timeForm;
      if (schema.format === 'uuid') return 'a UUID';
      if (schema.pattern !== undefined && schema.pattern !== visible)
        return schema.description ?? 'text in the required format';
      return `text${range(schema.minLength, schema.maxLength, ' characters')}${schema.pattern ? ', not only spaces' : ''}`;
    case 'array':
      return `a list${range(schema.minItems, schema.maxItems, ' entries')}, each ${allowed(schema.items)}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'object':
    case undefined:
    default:
      return 'an object';
  }
}

function range(from: number | undefined, to: number | undefined, unit = ''): string {
  if (from !== undefined && to !== undefined)
    return ` ${unit === '' ? 'from' : 'of'} ${from} to ${to}${unit}`;
  if (from !== undefined) return unit && from === 1 ? ', not empty' : ` of at least ${from}${unit}`;
  return to === undefined ? '' : ` of at most ${to}${unit}`;
}
