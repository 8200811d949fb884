/** Checks a response against the document: status, media type, body and headers. */

import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { isSchema, type Operation, type Schema, transformed } from './document.ts';

export interface Given {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** @returns what is wrong with a value, in words, or null; each schema is prepared and compiled once. */
function checker(prepare: (schema: Schema) => Schema) {
  const compiled = new WeakMap<Schema, Validator>();
  return (schema: Schema, value: unknown): string | null => {
    const validator = compiled.get(schema) ?? Compile(prepare(schema) as TSchema);
    compiled.set(schema, validator);
    return validator.Check(value) ? null : JSON.stringify(validator.Errors(value)[0]);
  };
}

const check = checker((schema) => schema);

/** What is wrong with a value that must match the schema and have no other members; null if nothing. */
export const strictComplaint = checker(withoutUnknownMembers);

/** Whether the document allows this body; true if it defines none. */
export function allowsBody({ body }: Operation, sent: unknown): boolean {
  return body === null || check(body, sent) === null;
}

/** What is wrong with the response, in words; null if nothing. */
export function complaint({ answers }: Operation, { status, headers, text }: Given) {
  if (status >= 500) return `answered ${status}`;
  const answer = answers[status < 400 ? status : 'default'];
  if (answer === undefined) return `${status} is not documented: ${text.slice(0, 200)}`;
  const [type = ''] = String(headers['content-type']).split(';');
  const schema = answer.content[type];
  if (schema === undefined) return `${status} with the media type ${type} is not documented`;
  const wrong = strictComplaint(schema, JSON.parse(text));
  if (wrong !== null) return `${status} has another form: ${wrong}`;
  return headerComplaint(status, headers, answer.headers);
}

function headerComplaint(
  status: number,
  headers: Given['headers'],
  documented: Readonly<Record<string, Schema>>,
): string | null {
  const must = [
    'x-request-id',
    ...(status >= 400 ? ['x-error-code'] : []),
    ...(status === 401 ? ['www-authenticate'] : []),
    ...(status === 429 || status === 503 ? ['retry-after'] : []),
  ];
  const missing = must.find((name) => headers[name] === undefined);
  if (missing !== undefined) return `${status} lacks the header ${missing}`;
  const silent = must.find((name) => documented[name] === undefined);
  if (silent !== undefined) return `the header ${silent} of ${status} is not documented`;
  for (const [name, schema] of Object.entries(documented)) {
    const value = headers[name];
    if (value === undefined) continue;
    const wrong = check(schema, schema['type'] === 'integer' ? Number(value) : value);
    if (wrong !== null)
      return `${status} has the header ${name}: ${JSON.stringify(value)}, ${wrong}`;
  }
  return null;
}

/** The schema with undocumented members forbidden, as everything in a response must be documented. */
function withoutUnknownMembers(schema: Schema): Schema {
  const inner = transformed(schema, withoutUnknownMembers);
  const { type, properties, additionalProperties } = schema;
  const isListed = isSchema(properties) && Object.keys(properties).length > 0;
  const isClosed = type === 'object' && isListed && additionalProperties === undefined;
  return isClosed ? { ...inner, additionalProperties: false } : inner;
}
