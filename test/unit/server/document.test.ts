import { expect, test } from 'vitest';
import { failures } from '../../../src/errors.ts';
import { openServer, serverForFile } from './open-server.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly { in: string; name: string }[];
  readonly responses: Readonly<Record<string, object>>;
}

interface Document {
  readonly openapi: string;
  readonly servers: readonly object[];
  readonly tags: readonly { name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
  };
  readonly webhooks: Readonly<Record<string, { post: Operation }>>;
}

const open = await serverForFile();
const document: Document = (await open.server.inject('/v1/schema')).json();
const operations: readonly (readonly [string, Operation])[] = Object.entries(
  document.paths,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, it]) => [`${method.toUpperCase()} ${path}`, it] as const),
);

test('the document is OpenAPI 3.1 and describes every public route', () => {
  const registered = [...open.server.methodsByPath].flatMap(([path, methods]) =>
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`),
  );

  expect(document.openapi).toBe('3.1.0');
  expect(operations.map(([name]) => name).toSorted()).toEqual(
    registered.filter((name) => name.includes(' /v1/')).toSorted(),
  );
});

test('every reference points to something in the document', () => {
  const targets = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to!);

  expect(targets.length).toBeGreaterThan(0);
  expect(targets.filter((target) => resolvePointer(document, target) === undefined)).toEqual([]);
});

test('every operation has a summary, a known tag and a unique id', () => {
  const all = [
    ...operations.map(([, it]) => it),
    ...Object.values(document.webhooks).map((it) => it.post),
  ];
  const ids = all.map(({ operationId }) => operationId);
  const tags = new Set(document.tags.map(({ name }) => name));

  expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]*)*$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(all.filter(({ summary }) => !summary)).toEqual([]);
  expect(operations.filter(([, it]) => !it.tags.every((tag) => tags.has(tag)))).toEqual([]);
});

test('the values of a failure are typed, so that generated clients can read them', () => {
  const found = JSON.stringify(document).match(/"values":\{"type":"object".*?\}\]\}\}/)?.[0];

  expect(found).toBe(
    '"values":{"type":"object","additionalProperties":{"anyOf":[{"type":"string"},{"type":"number"}]}}',
  );
});

test('every operation documents its failures, and all error codes are listed', () => {
  expect(operations.filter(([, { responses }]) => !('default' in responses))).toEqual([]);
  expect(document.components.schemas['ErrorCode']?.enum).toEqual(Object.keys(failures));
});

test('operations that need the scope settings declare it', () => {
  const scoped = operations.filter(([, { security }]) =>
    security.some((scheme) => Object.values(scheme).some((scopes) => scopes.includes('settings'))),
  );

  expect(scoped.map(([name]) => name).toSorted()).toEqual([
    'DELETE /v1/tenant/hold',
    'GET /v1/tenant/audit',
    'GET /v1/tenant/hold',
    'GET /v1/tenant/user',
    'GET /v1/tenant/webhook',
    'GET /v1/user/settings',
    'POST /v1/auth/api',
    'POST /v1/tenant/hold',
    'POST /v1/tenant/user',
    'POST /v1/tenant/user/disable',
    'POST /v1/tenant/user/enable',
    'POST /v1/tenant/user/password',
    'POST /v1/tenant/webhook/replay',
    'POST /v1/tenant/webhook/test',
    'PUT /v1/tenant',
    'PUT /v1/tenant/user',
    'PUT /v1/user/settings',
  ]);
});

test('the document lists the public URL if one is configured', async () => {
  const named = await openServer({ publicUrl: 'https://forensics.example' });
  const { servers } = (await named.server.inject('/v1/schema')).json<Document>();
  await named.close();

  expect(document.servers).toEqual([{ url: '/' }]);
  expect(servers).toEqual([{ url: 'https://forensics.example' }, { url: '/' }]);
});

function resolvePointer(root: unknown, target: string): unknown {
  const steps = target.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), root);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
