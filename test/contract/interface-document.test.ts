/** The API document itself: what it lists, what its examples and the richest answers look like. */

import { afterAll, expect, test } from 'vitest';
import { stabilityChanges } from '../../src/contract/vocabulary.ts';
import { failures } from '../../src/contract/errors.ts';
import { openCaseBundle } from '../../src/evidence/seal.ts';
import { writeEvidence } from '../../src/present/evidence.ts';
import type { Provenance } from '../../src/contract/provenance.ts';
import { newSigner, signedAt, smallBundle } from '../unit/evidence/small-case.ts';
import { makeExamination } from '../unit/present/examination.ts';
import { full as reported } from '../unit/present/full-report.ts';
import { draft, openServer } from '../unit/server/open-server.ts';
import { componentOf, operationsOf, type RawDocument } from './interface/document.ts';
import { allowsBody, complaint, strictComplaint } from './interface/judge.ts';

const open = await openServer();
const document: RawDocument = (await open.server.inject('/v1/schema')).json();
const operations = operationsOf(document);
const ofWebhooks = operationsOf({ ...document, paths: document.webhooks });
const documented = [...operations, ...ofWebhooks];

afterAll(async () => open.close());

test('the document is OpenAPI 3.1 and describes every public route', () => {
  const registered = [...open.server.methodsByPath].flatMap(([path, methods]) =>
    methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`),
  );

  expect(document.openapi).toBe('3.1.0');
  expect(operations.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
    registered.filter((name) => name.includes(' /v1/')).toSorted(),
  );
});

test('every operation has a summary, a known tag and a unique id', () => {
  const ids = documented.map(({ id }) => id);
  const tags = new Set(document.tags.map(({ name }) => name));

  expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]*)*$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(documented.filter(({ summary }) => !summary)).toEqual([]);
  expect(operations.filter((it) => !it.tags.every((tag) => tags.has(tag)))).toEqual([]);
});

test('the values of a failure are typed, so that generated clients can read them', () => {
  const found = JSON.stringify(document).match(/"values":\{"type":"object".*?\}\]\}\}/)?.[0];

  expect(found).toBe(
    '"values":{"type":"object","additionalProperties":{"anyOf":[{"type":"string"},{"type":"number"}]}}',
  );
});

test('every operation documents its failures, and all error codes are listed', () => {
  expect(operations.filter(({ answers }) => !('default' in answers))).toEqual([]);
  expect(componentOf(document, 'ErrorCode')['enum']).toEqual(Object.keys(failures));
});

test('the document lists the public URL if one is configured', async () => {
  const named = await openServer({ publicUrl: 'https://forensics.example' });
  const { servers } = (await named.server.inject('/v1/schema')).json<RawDocument>();
  await named.close();

  expect(document.servers).toEqual([{ url: '/' }]);
  expect(servers).toEqual([{ url: 'https://forensics.example' }, { url: '/' }]);
});

test('every example body is allowed by its operation', () => {
  const examples = operations.flatMap((operation) =>
    operation.bodyExamples.map((example) => ({ operation, example })),
  );

  expect(examples.length).toBeGreaterThan(2);
  for (const { operation, example } of examples) {
    expect([operation.id, allowsBody(operation, example)]).toEqual([operation.id, true]);
  }
});

test('the example of a webhook message matches its schema', () => {
  const schema = componentOf(document, 'AnalysisMessage');
  const examples = Array.isArray(schema['examples']) ? schema['examples'] : [];

  expect(examples).toHaveLength(1);
  expect(strictComplaint(schema, examples[0])).toBeNull();
});

test('the results of verification have only documented members', async () => {
  const { answers } = operations.find(({ id }) => id === 'verifyBundle')!;
  const schema = answers['200']!.content['application/json']!;
  const { tenant, secret } = await open.makeTenant('verifying');
  const headers = { authorization: `ApiKey ${secret}`, 'content-type': 'application/zip' };
  const url = `/v1/bundle/verify?tenantName=${tenant.name}`;
  const archive = openCaseBundle({ signer: newSigner(), signedAt, product: 'forensics 0.0.0' });
  const added = archive.add({ name: 'picture-0001.zip', bytes: smallBundle() });
  const reports = { en: Buffer.from('%PDF'), de: Buffer.from('%PDF') };
  const record = { case: 'claim 4711', pictures: [] };
  const { pieces } = archive.seal({ record, reports, examinedAt: signedAt });

  for (const payload of [smallBundle(), Buffer.concat([...added, ...pieces])]) {
    const answer = await open.server.inject({ method: 'POST', url, payload, headers });
    expect(strictComplaint(schema, answer.json())).toBeNull();
  }
});

test('the answer to a repeated creation is documented, also when the analysis was deleted', async () => {
  const creation = operations.find(({ id }) => id === 'createAnalysis')!;
  const { tenant, secret } = await open.makeTenant('repeating');
  const authorization = `ApiKey ${secret}`;
  const ask = async (method: 'POST' | 'DELETE', body: object) =>
    open.server.inject({
      method,
      url: '/v1/analysis',
      headers: { authorization, 'idempotency-key': 'once' },
      payload: { ...body, tenantName: tenant.name },
    });
  const made = await ask('POST', draft);
  await ask('DELETE', { id: made.json<{ data: { id: string }[] }>().data[0]!.id });

  const { statusCode: status, headers, payload: text } = await ask('POST', draft);

  expect(status).toBe(409);
  expect(complaint(creation, { status, headers, text })).toBeNull();
});

test('full evidence has only documented members', () => {
  const undecided = makeExamination({ resultClass: 'uncertain', reasons: ['too_small'] });
  const decided = makeExamination();
  const trials = stabilityChanges.map((change) => ({ change, fakeProbability: 1, isFlip: false }));
  const stability = { holds: true, trials };
  const schema = componentOf(document, 'Evidence');

  const byTraces = { resultClass: 'abstain', reasons: ['too_small'] } as const;
  const declared = { ...decided, decision: { ...decided.decision, byTraces } };
  const region = { left: 0, top: 8, width: 40, height: 24, share: 0.03 };
  const marked = { ...decided.manipulation!, region, methods: ['copy-move'] };
  const earlier = { ...undecided, manipulation: null };
  const richest = { ...declared, stability, provenance, manipulation: marked };

  for (const examination of [undecided, earlier, richest]) {
    expect(strictComplaint(schema, writeEvidence(examination))).toBeNull();
  }
});

const { provenance: known } = reported;

const provenance: Provenance = {
  ...known,
  declarations: known.declarations.map((one) => ({ ...one, generator: 'A generator' })),
  credentials: {
    ...known.credentials!,
    actions: [
      {
        action: 'c2pa.edited',
        software: 'A program',
        when: '2026-01-01T00:00:00Z',
        digitalSourceType: 'http://cv.iptc.org/newscodes/digitalsourcetype/compositeSynthetic',
      },
    ],
  },
  history: [
    { action: 'saved', software: 'A program', when: '2026-01-01T00:00:00Z', parameters: null },
  ],
  quantisation: { kind: 'libjpeg', name: null, quality: 91 },
  inconsistencies: known.inconsistencies.map((one) => ({ ...one, measures: { width: 640 } })),
  layout: { trailingBytes: 12, trailingKind: 'zip', pictures: 2 },
  warnings: ['The thumbnail could not be read.'],
};
