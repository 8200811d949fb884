import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { confirm } from '../../../src/cli/confirm.ts';

const terminal = () => Object.assign(new PassThrough(), { isTTY: true });

test.each([
  ['y\n', true],
  [' YES \n', true],
  ['\n', false],
  ['no\n', false],
  ['yesterday\n', false],
])('the answer %j counts as %s', async (answer, expected) => {
  const input = terminal();
  const output = terminal();
  input.end(answer);

  const agreed = await confirm('Revoke this key?', { input, output });

  output.end();
  expect(agreed).toBe(expected);
  expect(await text(output)).toContain('Revoke this key? [y/N] ');
});

test('whoever leaves without an answer has cancelled', async () => {
  const input = terminal();

  const asked = confirm('Revoke this key?', { input, output: terminal() });
  input.end();

  await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
});

test.each([
  ['an answer', { input: new PassThrough(), output: terminal() }],
  ['the question', { input: terminal(), output: new PassThrough() }],
])('where no terminal is there for %s nobody is asked', async (_what, streams) => {
  const asked = confirm('Revoke this key?', streams);

  await expect(asked).rejects.toMatchObject({ code: 'usage', message: /Say --yes/ });
});
