import { afterAll, expect, test } from 'vitest';
import { stabilityChanges } from '../../src/contract/vocabulary.ts';
import type { Provenance } from '../../src/provenance/provenance.ts';
import { writeEvidence } from '../../src/present/evidence.ts';
import { openCaseBundle } from '../../src/evidence/write-bundle.ts';
import { newSigner, signedAt, smallBundle } from '../unit/evidence/small-case.ts';
import { makeExamination } from '../unit/present/examination.ts';
import { draft, openServer } from '../unit/server/open-server.ts';
import { componentOf, operationsOf } from './interface/document.ts';
import { createJudge, strictComplaint } from './interface/judge.ts';

const open = await openServer();
const document = (await open.server.inject('/v1/schema')).json();
const judge = createJudge();

afterAll(async () => open.close());

test('every example body is allowed by its operation', () => {
  const examples = operationsOf(document).flatMap((operation) =>
    operation.bodyExamples.map((example) => ({ operation, example })),
  );

  expect(examples.length).toBeGreaterThan(2);
  for (const { operation, example } of examples) {
    expect([operation.id, judge.allowsBody(operation, example)]).toEqual([operation.id, true]);
  }
});

test('the example of a webhook message matches its schema', () => {
  const schema = componentOf(document, 'AnalysisMessage');
  const examples = Array.isArray(schema['examples']) ? schema['examples'] : [];

  expect(examples).toHaveLength(1);
  expect(strictComplaint(schema, examples[0])).toBeNull();
});

test('the results of verification have only documented members', async () => {
  const { answers } = operationsOf(document).find(({ id }) => id === 'verifyBundle')!;
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
  const creation = operationsOf(document).find(({ id }) => id === 'createAnalysis')!;
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
  expect(judge.complaint(creation, { status, headers, text })).toBeNull();
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
  const full = { ...declared, stability, provenance: everything, manipulation: marked };

  for (const examination of [undecided, earlier, full]) {
    expect(strictComplaint(schema, writeEvidence(examination))).toBeNull();
  }
});

const everything: Provenance = {
  declarations: [
    {
      origin: 'ai-manipulated',
      place: 'c2pa',
      field: 'actions',
      value: 'compositeWithTrainedAlgorithmicMedia',
      generator: 'A generator',
      assurance: 'trusted',
    },
  ],
  credentials: {
    integrity: 'valid',
    trust: 'trusted',
    trustListSha256: 'ab'.repeat(32),
    signer: 'A signer',
    issuer: 'An issuer',
    signedAt: '2026-01-01T00:00:00Z',
    hasTimestamp: true,
    claimGenerator: 'A program',
    actions: [
      {
        action: 'c2pa.edited',
        software: 'A program',
        when: '2026-01-01T00:00:00Z',
        digitalSourceType: 'http://cv.iptc.org/newscodes/digitalsourcetype/compositeSynthetic',
      },
    ],
    manifests: 2,
    problems: ['assertion.dataHash.mismatch'],
  },
  software: [{ kind: 'editor', name: 'A program', place: 'exif' }],
  history: [
    { action: 'saved', software: 'A program', when: '2026-01-01T00:00:00Z', parameters: null },
  ],
  quantisation: { kind: 'libjpeg', name: null, quality: 91 },
  inconsistencies: [
    {
      code: 'exif_size_differs',
      statement: { en: 'The sizes differ.', de: 'Die Größen weichen voneinander ab.' },
      measures: { width: 640 },
    },
  ],
  layout: { trailingBytes: 12, trailingKind: 'zip', pictures: 2 },
  warnings: ['The thumbnail could not be read.'],
};
