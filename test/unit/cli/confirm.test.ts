import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { agreed, confirmByName } from '../../../src/cli/output/terminal.ts';
import { refusal } from '../../fixtures/refusal.ts';

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

  const isAgreed = await agreed('Revoke this key?', { yes: false }, { input, output });

  output.end();
  expect(isAgreed).toBe(expected);
  expect(await text(output)).toContain('Revoke this key? [y/N] ');
});

test('closing the input without an answer cancels', async () => {
  const input = terminal();

  const asked = agreed('Revoke this key?', { yes: false }, { input, output: terminal() });
  input.end();

  await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
});

test.each([
  ['an answer', { input: new PassThrough(), output: terminal() }],
  ['the question', { input: terminal(), output: new PassThrough() }],
])('nothing is asked when there is no terminal for %s', async (_what, streams) => {
  const asked = confirmByName('Delete acme?', 'acme', streams);

  await expect(asked).rejects.toEqual(refusal('usage', 'Add --yes'));
});

test('a person is asked unless --yes is given, and a script is not asked', async () => {
  const noTerminal = { input: new PassThrough(), output: new PassThrough() };
  const person = { input: terminal(), output: terminal() };
  person.input.end('n\n');

  const script = await agreed('Revoke?', { yes: false }, noTerminal);
  const asked = await agreed('Revoke?', { yes: false }, person);
  const withYes = await agreed('Revoke?', { yes: true }, person);

  expect([script, asked, withYes]).toEqual([true, false, true]);
});

test.each([
  ['acme\n', true],
  [' acme \n', true],
  ['ACME\n', false],
  ['y\n', false],
  ['\n', false],
])('the answer %j to a question for the name acme counts as %s', async (answer, expected) => {
  const input = terminal();
  input.end(answer);

  const typed = await confirmByName('Delete acme?', 'acme', { input, output: terminal() });

  expect(typed).toBe(expected);
});
