import { afterAll, expect, test } from 'vitest';
import { openServer } from '../unit/server/open-server.ts';
import { componentOf, operationsOf } from './interface/document.ts';
import { createJudge, strictComplaint } from './interface/judge.ts';

const open = await openServer();
const document = (await open.server.inject('/v1/schema')).json();
const judge = createJudge();

afterAll(async () => open.close());

test('every example of a body is one that its operation takes', () => {
  const examples = operationsOf(document).flatMap((operation) =>
    operation.bodyExamples.map((example) => ({ operation, example })),
  );

  expect(examples.length).toBeGreaterThan(2);
  for (const { operation, example } of examples) {
    expect([operation.id, judge.allowsBody(operation, example)]).toEqual([operation.id, true]);
  }
});

test('the example of a webhook message is one', () => {
  const schema = componentOf(document, 'AnalysisMessage');
  const examples = Array.isArray(schema['examples']) ? schema['examples'] : [];

  expect(examples).toHaveLength(1);
  expect(strictComplaint(schema, examples[0])).toBeNull();
});
