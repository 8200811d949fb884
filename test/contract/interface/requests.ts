/** Requests for an operation, generated from its documentation. */

import * as fc from 'fast-check';
import { weighted } from '../../fixtures/weighted.ts';
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
  return schemes.length === 0 ? outside : weighted([4, fc.constantFrom(...schemes)], [1, outside]);
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
  return weighted<readonly (readonly [string, string])[]>(
    [4, allowed],
    [1, fc.tuple(allowed, more).map(([pairs, pair]) => [...pairs, pair])],
    [1, fc.tuple(allowed, fc.nat()).map(([pairs, at]) => without(pairs, at))],
  );
}

function headers({ parts }: Operation): fc.Arbitrary<Headers> {
  const declared = parts.filter((part) => part.in === 'header');
  const made = declared.map(({ name, schema }) => [name, headerText(schema, name)] as const);
  return fc.record(Object.fromEntries(made), { requiredKeys: [] });
}

function headerText(schema: Schema, name: string): fc.Arbitrary<string> {
  const value = weighted([4, allowedValue(schema, known, name)], [1, oddValue()]);
  return value.map((it) =>
    asText(it)
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
  const raw = weighted(
    [12, fc.constantFrom(...noJson)],
    [2, fc.integer({ min: 1000, max: 20_000 }).map((n) => '['.repeat(n))],
    [1, fc.constant('{"a":"«large»"}')],
  );
  const none = fc.constant(null);
  if (body === null) return method === 'GET' ? none : weighted<string | null>([3, none], [1, raw]);
  const allowed = allowedValue(body, known);
  const json = weighted([5, allowed], [5, spoiled(allowed)]).map((value) => JSON.stringify(value));
  return weighted<string | null>([18, json], [2, raw], [1, none]);
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
  const usual = fc.constantFrom('application/json', 'application/json; charset=utf-8');
  return weighted<string | null>([12, usual], [1, fc.constantFrom(...oddTypes)]);
}

function asText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.slice(0, 8000);
}

function without<T>(entries: readonly T[], at: number): readonly T[] {
  return entries.filter((_entry, index) => index !== at % Math.max(1, entries.length));
}
