/** Values generated from a schema: valid ones, and those of a careless or hostile client. */

import * as fc from 'fast-check';
import { visible } from '../../../src/contract/common.ts';
import { weighted } from '../../fixtures/weighted.ts';
import { isSchema, type Schema } from './document.ts';

/** Meaningful values by member name. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

const oddTexts = [
  '',
  ' ',
  '\u0000',
  '../../etc/passwd',
  "'; DROP TABLE tenants; --",
  '%00%ff',
  '\ud800',
  'Ünïcödé 🖼️ \u202e\u0301',
  'x'.repeat(256),
  'x'.repeat(20_000),
  '__proto__',
  'null',
  '-1',
  '1e999',
];
const oddNumbers = [-1, 0, 0.5, -0, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 64, 65, 4096, 4097];

/** Any JSON value, including deep and unusual ones. */
export function oddValue(): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom<unknown>(null, true, false, {}, [], ...oddTexts, ...oddNumbers),
    fc.jsonValue({ maxDepth: 3 }),
    fc.integer({ min: 10, max: 2000 }).map(nested),
  );
}

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

/** A value that the schema allows. */
export function allowedValue(schema: Schema, known: Known, name = ''): fc.Arbitrary<unknown> {
  const made = madeFrom(schema, known, name);
  const values = known[name];
  if (values === undefined || values.length === 0) return made;
  return weighted([9, fc.constantFrom(...values)], [1, made]);
}

function madeFrom(schema: Schema, known: Known, name: string): fc.Arbitrary<unknown> {
  const { const: only, enum: words, anyOf, type } = schema;
  if ('const' in schema) return fc.constant(only);
  if (Array.isArray(words)) return fc.constantFrom<unknown>(...words);
  if (Array.isArray(anyOf)) {
    return fc.oneof(...anyOf.filter(isSchema).map((one) => allowedValue(one, known, name)));
  }
  switch (type) {
    case 'string':
      return text(schema);
    case 'integer':
      return fc.integer(range(schema, -1000, 10_000));
    case 'number':
      return fc.double({ ...range(schema, -1e6, 1e6), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const items = isSchema(schema['items']) ? schema['items'] : {};
      return fc.array(allowedValue(items, known), { maxLength: bound(schema, 'maxItems', 4, 4) });
    }
    case 'object':
      return object(schema, known);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function object(schema: Schema, known: Known): fc.Arbitrary<unknown> {
  const members = isSchema(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const made = Object.entries(members).flatMap(([name, member]) =>
    isSchema(member) ? [[name, allowedValue(member, known, name)] as const] : [],
  );
  const optional = made.map(([name]) => name).filter((name) => !required.includes(name));
  const whole = fc.record(Object.fromEntries(made));
  // Small selections as often as large ones: one refused member would hide the effects of the others.
  const chosen = fc.oneof(
    fc.subarray(optional, { maxLength: Math.min(1, optional.length) }),
    fc.subarray(optional),
  );
  return fc.tuple(whole, chosen).map(([value, names]) => {
    const sent = Object.entries(value).filter(([name]) => [...required, ...names].includes(name));
    return Object.fromEntries(sent);
  });
}

function range(schema: Schema, min: number, max: number) {
  return { min: bound(schema, 'minimum', min), max: bound(schema, 'maximum', max) };
}

function text(schema: Schema): fc.Arbitrary<string> {
  const minLength = bound(schema, 'minLength', 0);
  const maxLength = bound(schema, 'maxLength', 300, 300);
  // Other patterns are left to chance, as before.
  const fits = schema['pattern'] === visible ? new RegExp(visible, 'u') : /^/;
  const ofUnit = (unit: 'grapheme-ascii' | 'binary', more: number) =>
    fc
      .string({ minLength, maxLength: Math.min(maxLength, minLength + more), unit })
      .filter((made) => fits.test(made));
  switch (schema['format']) {
    case 'date-time':
    case 'iso-time':
      return fc
        .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString());
    case 'uuid':
      return fc.uuid();
    default:
      // Counted in code points, like the schema; long values are rare, boundary lengths are not.
      return fc.oneof(
        ofUnit('grapheme-ascii', 24),
        ofUnit('binary', 12),
        fc.constantFrom('x'.repeat(minLength), 'ü'.repeat(maxLength)),
      );
  }
}

function bound(schema: Schema, keyword: string, otherwise: number, most = Infinity): number {
  const value = schema[keyword];
  return Math.min(typeof value === 'number' ? value : otherwise, most);
}

/** A valid value with one change somewhere. */
export function spoiled(allowed: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(allowed, fc.nat(), fc.constantFrom(...spoilings), oddValue())
    .map(([value, at, how, odd]) => spoil(value, at, how, odd));
}

const spoilings = ['drop', 'replace', 'add', 'wrap', 'shift'] as const;
type Spoiling = (typeof spoilings)[number];

function spoil(value: unknown, at: number, how: Spoiling, odd: unknown): unknown {
  const names = isSchema(value) ? Object.keys(value) : [];
  const name = names[at % Math.max(1, names.length)];
  if (!isSchema(value) || name === undefined) return odd;
  const inner = value[name];
  // In half of the cases one level deeper, if there is one.
  if (isSchema(inner) && at % 2 === 1) return { ...value, [name]: spoil(inner, at >> 1, how, odd) };
  const done: Readonly<Record<Spoiling, () => unknown>> = {
    drop: () => Object.fromEntries(Object.entries(value).filter(([each]) => each !== name)),
    replace: () => ({ ...value, [name]: odd }),
    add: () => ({ ...value, [at % 3 === 0 ? 'constructor' : `x${at}`]: odd }),
    wrap: () => ({ ...value, [name]: [inner] }),
    shift: () => ({ ...value, [name]: shifted(inner) }),
  };
  return done[how]();
}

/** A near miss: a digit as text, a text doubled, a fraction added. */
function shifted(value: unknown): unknown {
  if (typeof value === 'number') return value % 2 === 0 ? String(value) : value + 0.5;
  if (typeof value === 'string') return `${value} `.repeat(2);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return Object.fromEntries(value.entries());
  return value === null ? 'null' : null;
}
