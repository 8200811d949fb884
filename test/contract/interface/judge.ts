/** Checks a response against the document: status, media type, body and headers. */

import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { isSchema, mapped, type Operation, type Schema } from './document.ts';

export interface Given {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export interface Judge {
  /** What is wrong with the response, in words; null if nothing. */
  complaint(operation: Operation, given: Given): string | null;
  /** Whether the document allows this body; true if it defines none. */
  allowsBody(operation: Operation, body: unknown): boolean;
}

export function createJudge(): Judge {
  const compiled = new WeakMap<Schema, (value: unknown) => string | null>();

  function check(schema: Schema, value: unknown): string | null {
    const known = compiled.get(schema);
    if (known !== undefined) return known(value);
    const validator = Compile(schema as TSchema);
    const judge = (it: unknown): string | null =>
      validator.Check(it) ? null : JSON.stringify(validator.Errors(it)[0]);
    compiled.set(schema, judge);
    return judge(value);
  }

  const closedForms = new WeakMap<Schema, Schema>();
  function closedForm(schema: Schema): Schema {
    const closed = closedForms.get(schema) ?? withoutUnknownMembers(schema);
    closedForms.set(schema, closed);
    return closed;
  }

  return {
    complaint(operation, { status, headers, text }) {
      if (status >= 500) return `answered ${status}`;
      const answer = operation.answers[status < 400 ? status : 'default'];
      if (answer === undefined) return `${status} is not documented: ${text.slice(0, 200)}`;
      const [type = ''] = String(headers['content-type']).split(';');
      const schema = answer.content[type];
      if (schema === undefined) return `${status} with the media type ${type} is not documented`;
      const body: unknown = JSON.parse(text);
      const wrong = check(closedForm(schema), body);
      if (wrong !== null) return `${status} has another form: ${wrong}`;
      return headerComplaint(status, headers, answer.headers, (it, value) => check(it, value));
    },
    allowsBody: ({ body }, sent) => body === null || check(body, sent) === null,
  };
}

type Check = (schema: Schema, value: unknown) => string | null;

function headerComplaint(
  status: number,
  headers: Readonly<Record<string, unknown>>,
  documented: Readonly<Record<string, Schema>>,
  check: Check,
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
    const read = schema['type'] === 'integer' ? Number(value) : value;
    const wrong = check(schema, read);
    if (wrong !== null)
      return `${status} has the header ${name}: ${JSON.stringify(value)}, ${wrong}`;
  }
  return null;
}

/** What is wrong with a value that must match the schema and have no other members; null if nothing. */
export function strictComplaint(schema: Schema, value: unknown): string | null {
  const validator = Compile(withoutUnknownMembers(schema) as TSchema);
  return validator.Check(value) ? null : JSON.stringify(validator.Errors(value)[0]);
}

/** The schema with undocumented members forbidden, as everything in a response must be documented. */
function withoutUnknownMembers(schema: Schema): Schema {
  const inner = mapped(schema, (value): unknown => {
    if (Array.isArray(value))
      return value.map((it: unknown) => (isSchema(it) ? withoutUnknownMembers(it) : it));
    return isSchema(value) ? withoutUnknownMembers(value) : value;
  });
  const isClosed = schema['type'] === 'object' && isSchema(schema['properties']);
  const isFree = schema['additionalProperties'] !== undefined || isEmpty(schema['properties']);
  return isClosed && !isFree ? { ...inner, additionalProperties: false } : inner;
}

function isEmpty(value: unknown): boolean {
  return isSchema(value) && Object.keys(value).length === 0;
}
