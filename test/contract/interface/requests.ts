/** Requests for an operation, generated from its documentation. */

import * as fc from 'fast-check';
import type { Operation, Schema } from './document.ts';
import { known, type Stranger, strangers } from './stage.ts';
import { allowedValue, oddValue, spoiled } from './values.ts';

type Headers = Readonly<Record<string, string | undefined>>;

export interface Sent {
  /** A security scheme of the operation, or a kind of outsider. */
  readonly caller: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Headers;
  /** The body as sent; null for none. */
  readonly payload: string | null;
}

export function requestsFor(operation: Operation): fc.Arbitrary<Sent> {
  return fc
    .record({
      caller: callers(operation),
      query: query(operation),
      headers: headers(operation),
      payload: payloads(operation),
      type: contentTypes(),
    })
    .map(({ caller, query: sent, headers: own, payload, type }) => ({
      caller,
      query: sent,
      headers: type === null ? own : { ...own, 'content-type': type },
      payload,
    }));
}

export function isStranger(caller: string): caller is Stranger {
  return strangers.some((stranger) => stranger === caller);
}

function callers({ schemes }: Operation): fc.Arbitrary<string> {
  const outside = fc.constantFrom<string>(...strangers);
  if (schemes.length === 0) return outside;
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...schemes) },
    { weight: 1, arbitrary: outside },
  );
}

function query({ parts }: Operation): fc.Arbitrary<readonly (readonly [string, string])[]> {
  const declared = parts.filter((part) => part.in === 'query');
  const allowed = fc
    .record(
      Object.fromEntries(
        declared.map(({ name, schema }) => [name, allowedValue(schema, known, name).map(asText)]),
      ),
      { requiredKeys: declared.filter(({ required }) => required).map(({ name }) => name) },
    )
    .map((record) => Object.entries(record).map(([name, text]) => [name, text] as const));
  const name = fc.constantFrom('x', '__proto__', ...declared.map((part) => part.name));
  const more = fc.tuple(name, oddValue().map(asText));
  return fc.oneof(
    { weight: 4, arbitrary: allowed },
    { weight: 1, arbitrary: fc.tuple(allowed, more).map(([pairs, pair]) => [...pairs, pair]) },
    { weight: 1, arbitrary: fc.tuple(allowed, fc.nat()).map(([pairs, at]) => without(pairs, at)) },
  );
}

function headers({ parts }: Operation): fc.Arbitrary<Headers> {
  const declared = parts.filter((part) => part.in === 'header');
  const made = declared.map(({ name, schema }) => [name, headerText(schema, name)] as const);
  return fc.record(Object.fromEntries(made), { requiredKeys: [] });
}

function headerText(schema: Schema, name: string): fc.Arbitrary<string> {
  const allowed = allowedValue(schema, known, name);
  return fc
    .oneof({ weight: 4, arbitrary: allowed }, { weight: 1, arbitrary: oddValue() })
    .map((value) =>
      asText(value)
        .replace(/[^\x20-\x7e]/g, '?')
        .slice(0, 4000),
    );
}

const noJson = [
  '',
  '{',
  '[]',
  'null',
  '"text"',
  '{"__proto__":{"a":1}}',
  '\ufeff{}',
  '{"a":NaN}',
  'a=1&b=2',
];

function payloads({ method, body }: Operation): fc.Arbitrary<string | null> {
  const raw = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...noJson) },
    { weight: 2, arbitrary: fc.integer({ min: 1000, max: 20_000 }).map((n) => '['.repeat(n)) },
    { weight: 1, arbitrary: fc.constant('{"a":"«large»"}') },
  );
  const none = fc.constant(null);
  if (body === null) {
    return method === 'GET'
      ? none
      : fc.oneof({ weight: 3, arbitrary: none }, { weight: 1, arbitrary: raw });
  }
  const allowed = allowedValue(body, known);
  const json = fc.oneof(
    { weight: 5, arbitrary: allowed },
    { weight: 5, arbitrary: spoiled(allowed) },
  );
  return fc.oneof(
    { weight: 18, arbitrary: json.map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: raw },
    { weight: 1, arbitrary: none },
  );
}

const oddTypes = [
  null,
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/jsonp',
  'garbage',
  '',
];

function contentTypes(): fc.Arbitrary<string | null> {
  return fc.oneof(
    {
      weight: 12,
      arbitrary: fc.constantFrom('application/json', 'application/json; charset=utf-8'),
    },
    { weight: 1, arbitrary: fc.constantFrom(...oddTypes) },
  );
}

function asText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.slice(0, 8000);
}

function without<T>(entries: readonly T[], at: number): readonly T[] {
  return entries.filter((_entry, index) => index !== at % Math.max(1, entries.length));
}
