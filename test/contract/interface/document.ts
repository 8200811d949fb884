/** The API document as data: every operation with its schemas, references resolved. */

type ByName<T> = Readonly<Record<string, T>>;

export type Schema = ByName<unknown>;

export interface Part {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly required: boolean;
  readonly schema: Schema;
}

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: ByName<{ readonly value: unknown }>;
}

export interface RawOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly ByName<readonly string[]>[];
  readonly parameters?: readonly Part[];
  readonly requestBody?: { readonly content: ByName<Media> };
  readonly responses: ByName<{
    readonly content?: ByName<Media>;
    readonly headers?: ByName<{ schema: Schema }>;
  }>;
}

export interface RawDocument {
  readonly openapi: string;
  readonly servers: readonly object[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: ByName<ByName<RawOperation>>;
  readonly components: { readonly schemas: ByName<Schema> };
  readonly webhooks: ByName<{ readonly post: RawOperation }>;
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;

export type Operation = ReturnType<typeof operationsOf>[number];

/** Bodies and answers are by media type, answers also by status, and headers by name in lower case. */
export function operationsOf({ paths, components }: Pick<RawDocument, 'paths' | 'components'>) {
  const whole = (schema: Schema) => resolved(schema, components.schemas);
  return Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, raw]) => ({
      id: raw.operationId,
      summary: raw.summary,
      tags: raw.tags,
      method: methodOf(method),
      path,
      /** Names of the accepted security schemes; none if open to everyone. */
      schemes: raw.security.flatMap((scheme) => Object.keys(scheme)),
      parts: (raw.parameters ?? []).map((part) => ({ ...part, schema: whole(part.schema) })),
      body: raw.requestBody
        ? whole(raw.requestBody.content['application/json']?.schema ?? {})
        : null,
      bodyExamples: Object.values(raw.requestBody?.content ?? {}).flatMap(examplesOf),
      answers: mapped(raw.responses, ({ content = {}, headers = {} }) => ({
        content: mapped(content, ({ schema }) => whole(schema)),
        headers: mapped(headers, ({ schema }) => whole(schema)),
      })),
    })),
  );
}

export function componentOf({ components }: RawDocument, name: string): Schema {
  return resolved({ $ref: prefix + name }, components.schemas);
}

function methodOf(name: string): (typeof methods)[number] {
  const method = methods.find((one) => one === name.toUpperCase());
  if (method === undefined) throw new Error(`${name} is not a method of the API`);
  return method;
}

function examplesOf({ example, examples = {} }: Media): readonly unknown[] {
  const named = Object.values(examples).map(({ value }) => value);
  return example === undefined ? named : [example, ...named];
}

const prefix = '#/components/schemas/';

/** Replaces every reference in the schema with its target; none of ours is recursive. */
function resolved(schema: Schema, components: ByName<Schema>): Schema {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') {
    return transformed(schema, (inner) => resolved(inner, components));
  }
  const target = components[reference.slice(prefix.length)];
  if (target === undefined) throw new Error(`${reference} points to nothing`);
  return resolved(target, components);
}

/** The schema with each schema in it changed, also those in lists. */
export function transformed(schema: Schema, change: (inner: Schema) => Schema): Schema {
  const changed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(changed);
    return isSchema(value) ? change(value) : value;
  };
  return mapped(schema, changed);
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapped<A, B>(record: ByName<A>, change: (value: A) => B): ByName<B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
