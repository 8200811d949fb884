/**
 * Checks what callers send against the route's schema and says in one sentence what is wrong. Bodies are taken as
 * they are: the number "7" is not 7. Query strings know only text, so there digits become integers first.
 */

import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { ForensicsError } from '../errors.ts';

/** The part of JSON Schema that our routes use. */
interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  /** Where there is a pattern: what it allows, as the end of a sentence. */
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
  /** The setting that says how large it may be. */
  readonly 'x-setting'?: string;
}

interface Problem {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
}

type Validator = (value: unknown) => { value: unknown } | { error: ForensicsError };

/** Fastify's validator compiler. Failures are `invalid_request`. */
export function compileValidator(route: { schema: TSchema; httpPart?: string }): Validator {
  const { schema, httpPart } = route;
  const compiled = Compile(schema);
  return (sent) => {
    const value = httpPart === 'querystring' ? withNumbers(sent, schema) : sent;
    if (compiled.Check(value)) return { value };
    const [problem] = compiled.Errors(value) as Problem[];
    const message = problem ? explain(problem, schema) : 'The request is not valid.';
    return { error: new ForensicsError('invalid_request', message) };
  };
}

function withNumbers(sent: unknown, schema: Schema): unknown {
  const entries = Object.entries(sent ?? {}).map(([name, text]) => {
    const isDigits = typeof text === 'string' && /^-?\d{1,15}$/.test(text);
    return [name, isDigits && schema.properties?.[name]?.type === 'integer' ? Number(text) : text];
  });
  return Object.fromEntries(entries) as unknown;
}

function explain(problem: Problem, root: Schema): string {
  // `/input/tags/0` -> `['input', 'tags', '0']`, with the two escapes of RFC 6901 undone.
  const parts = problem.instancePath.split('/').slice(1);
  const path = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (problem.keyword === 'required') {
    const { requiredProperties = [] } = problem.params as { requiredProperties?: string[] };
    const missing = [...path, requiredProperties[0] ?? ''];
    return `${named(missing)} is missing; it must be ${allowed(schemaAt(root, missing))}.`;
  }
  if (path.length === 0) return 'The body must be a JSON object.';
  const schema = schemaAt(root, path);
  if (schema) return `${named(path)} must be ${allowed(schema)}.`;
  const known = Object.keys(inside(schemaAt(root, path.slice(0, -1)))?.properties ?? {});
  return `${named(path)} is not known; known are ${known.join(', ')}.`;
}

// The last step may be a name that the caller chose: one line, no control characters, limited length.
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

/** Of "this or null": this, for only there are members. */
function inside(schema: Schema | undefined): Schema | undefined {
  return schema?.anyOf?.find(({ properties, items }) => properties ?? items) ?? schema;
}

/** The end of the sentence "width must be ...". */
function allowed(schema: Schema | undefined): string {
  if (!schema) return 'given';
  const { 'x-setting': setting } = schema;
  const more = setting === undefined ? '' : `; the setting ${setting} of the server allows more`;
  if (schema.anyOf) return schema.anyOf.map(allowed).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum)
    return `${schema.enum.length > 1 ? 'one of ' : ''}${schema.enum.join(', ')}${more}`;
  switch (schema.type) {
    case 'integer':
    case 'number':
      return [
        schema.type === 'integer' ? 'an integer' : 'a number',
        range(schema.minimum, schema.maximum),
        more,
      ].join('');
    case 'string':
      if (schema.format === 'date-time') return 'an ISO 8601 date and time';
      if (schema.format === 'uuid') return 'a UUID';
      if (schema.pattern !== undefined) return schema.description ?? 'a text of the right form';
      return `a text${range(schema.minLength, schema.maxLength, ' characters')}`;
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
  const verb = unit === '' ? '' : ' of';
  if (from !== undefined && to !== undefined) {
    return unit === '' ? ` from ${from} to ${to}` : ` of ${from} to ${to}${unit}`;
  }
  if (from !== undefined) return `${verb} at least ${from}${unit}`.replace(/^ at/, ' of at');
  return to === undefined ? '' : ` of at most ${to}${unit}`;
}
