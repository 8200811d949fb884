/** The API document as data: every operation with its schemas, references resolved. */

export type Schema = Readonly<Record<string, unknown>>;

export interface Part {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly required: boolean;
  readonly schema: Schema;
}

export interface DocumentedAnswer {
  /** By media type. */
  readonly content: Readonly<Record<string, Schema>>;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, Schema>>;
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;

export interface Operation {
  readonly id: string;
  readonly method: (typeof methods)[number];
  readonly path: string;
  /** Names of the accepted security schemes; none if open to everyone. */
  readonly schemes: readonly string[];
  readonly parts: readonly Part[];
  readonly body: Schema | null;
  readonly bodyExamples: readonly unknown[];
  /** By status. */
  readonly answers: Readonly<Record<string, DocumentedAnswer>>;
}

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface RawOperation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Part[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content?: Readonly<Record<string, Media>>;
        readonly headers?: Readonly<Record<string, { schema: Schema }>>;
      }
    >
  >;
}

export interface RawDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export function operationsOf(document: RawDocument): readonly Operation[] {
  const { paths, components } = document;
  const whole = (schema: Schema) => resolved(schema, components.schemas);
  return Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, raw]) => ({
      id: raw.operationId,
      method: methodOf(method),
      path,
      schemes: raw.security.flatMap((scheme) => Object.keys(scheme)),
      parts: (raw.parameters ?? []).map((part) => ({ ...part, schema: whole(part.schema) })),
      body: raw.requestBody ? whole(schemaOf(raw.requestBody.content)) : null,
      bodyExamples: raw.requestBody ? examplesOf(raw.requestBody.content) : [],
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

function methodOf(name: string): Operation['method'] {
  const method = methods.find((one) => one === name.toUpperCase());
  if (method === undefined) throw new Error(`${name} is not a method of the API`);
  return method;
}

function schemaOf(content: Readonly<Record<string, Media>>): Schema {
  return content['application/json']?.schema ?? {};
}

function examplesOf(content: Readonly<Record<string, Media>>): readonly unknown[] {
  return Object.values(content).flatMap(({ example, examples = {} }) => [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples).map(({ value }) => value),
  ]);
}

const prefix = '#/components/schemas/';

/** Replaces every reference in the schema with its target; none of ours is recursive. */
function resolved(schema: Schema, components: Readonly<Record<string, Schema>>): Schema {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const target = components[reference.slice(prefix.length)];
    if (target === undefined) throw new Error(`${reference} points to nothing`);
    return resolved(target, components);
  }
  return mapped(schema, (value) => visited(value, components));
}

function visited(value: unknown, components: Readonly<Record<string, Schema>>): unknown {
  if (Array.isArray(value)) return value.map((entry) => visited(entry, components));
  return isSchema(value) ? resolved(value, components) : value;
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function mapped<A, B>(
  record: Readonly<Record<string, A>>,
  change: (value: A) => B,
): Readonly<Record<string, B>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
