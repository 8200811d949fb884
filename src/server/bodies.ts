/**
 * What callers send: what a body may cost before anybody looks at it, and what is wrong with it by the schema of its route.
 * Uploads of objects have limits of their own.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ForensicsError } from '../errors.ts';
import { sendFailure } from './answers.ts';
import { isAskingFirst } from './transport.ts';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/** Two tokens of an identity provider, the largest body of an unauthenticated request, are half of it. */
export const bodyLimitBytes = 64 * 1024;
/** For routes that know their caller and take what people wrote, or a tenant with all its keys back. */
export const longBodyLimitBytes = 1024 * 1024;

// Permissions are looked up before the body arrives; this is also how old that answer can be.
const bodyTimeoutMs = 30_000;

const tooLate = 408;

/** @param timeoutMs - counted from the headers on. */
export function guardBodies(server: FastifyInstance, timeoutMs = bodyTimeoutMs): void {
  server.addHook('onRequest', async (request, reply) => {
    if (!hasBody(request)) return;
    const timer = setTimeout(() => endSlow(request, reply), timeoutMs).unref();
    request.raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  });
}

/** More than the largest picture that somebody may send here by mistake. */
const maxDrainBytes = 64 * 1024 * 1024;

/**
 * An answer that comes before its body was read: the rest is read and forgotten, up to a bound. Many clients read nothing
 * before they have sent everything, and closing over unread bytes would reset the connection and lose the answer.
 */
export function drainRefused(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply) => {
    const { raw } = request;
    if (!hasBody(request) || raw.complete || isAskingFirst(raw)) return;
    // One that is too slow already had its time.
    if (reply.statusCode === tooLate) return;
    // The framework sets it for a body that is too large, and Node.js closes at once.
    void reply.removeHeader('connection');
    let drained = 0;
    raw.on('data', (part: Buffer) => {
      drained += part.length;
      if (drained > maxDrainBytes) raw.destroy();
    });
  });
}

/** @see RFC 9112, section 6: one of the two headers stands for a body. */
function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function endSlow({ raw, routeOptions }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete) return;
  // Answered already, without the body.
  if (reply.sent) return void raw.destroy();
  // An upload with a valid signature may take longer.
  if (routeOptions.config.access === 'urlSignature') return;
  const failure = new ForensicsError('invalid_request', 'The request did not arrive in time.');
  void reply.header('connection', 'close');
  void sendFailure(reply, failure, tooLate);
}

// As the framework normalises a type. RFC 8259 defines no charset, but clients send one, and use it.
const jsonInUtf8 = /^application\/json(?!.*; charset="(?!utf-?8"))(?:;|$)/i;
// Its escape is the only way to write it. An even number of backslashes before it belongs to itself.
const nul = /(?<!\\)(?:\\\\)*\\u0000/;

/**
 * Bodies are JSON in UTF-8. What would be read as something else than was written is refused: it ends up in evidence.
 *
 * JSON is the one language: without this a text/plain body would arrive as a string.
 */
export function readJsonBodies(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser(['application/json', 'text/plain']);
  server.addContentTypeParser(jsonInUtf8, { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    assertFewValues(body);
    void parse(request, decodeText(body), done);
  });
}

/** Of a tenant with all its keys there are a quarter of that. Parsed, `{},` takes twenty times the memory of its text. */
const maxValues = 100_000;

function assertFewValues(body: Buffer): void {
  let values = 0;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (byte === comma || byte === bracket || byte === brace) values++;
  }
  if (values <= maxValues) return;
  throw new ForensicsError('body_too_large', `The body must hold at most ${maxValues} values.`);
}

const [comma, bracket, brace] = Buffer.from(',[{');

function decodeText(body: Buffer): string {
  const text = decoded(body);
  if (!nul.test(text)) return text;
  // Programs that such a text is handed on to end it there.
  throw new ForensicsError('invalid_request', 'No text may hold the character U+0000.');
}

function decoded(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (cause) {
    throw new ForensicsError('invalid_request', 'The body is not valid UTF-8.', { cause });
  }
}

/**
 * For routes without a body: clients that always send `Content-Type: application/json` are not refused for sending
 * nothing, and what is sent all the same is read, within the limit, and forgotten.
 */
export function ignoreBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null));
}

// The check against the route's schema. Bodies are taken as they are: the number "7" is not 7. Query strings know only text,
// so there digits become integers first.

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
