import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { agreed, confirm, confirmByName } from '../../../src/cli/input.ts';

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

  const isAgreed = await confirm('Revoke this key?', { input, output });

  output.end();
  expect(isAgreed).toBe(expected);
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

  await expect(asked).rejects.toMatchObject({ code: 'usage', message: /Add --yes/ });
});

test('a script that is taken at its word is asked nothing, a person is asked unless --yes was said', async () => {
  const nobody = { input: new PassThrough(), output: new PassThrough() };
  const person = { input: terminal(), output: terminal() };
  person.input.end('n\n');

  const script = await agreed('Revoke?', { yes: false }, nobody);
  const asked = await agreed('Revoke?', { yes: false }, person);
  const said = await agreed('Revoke?', { yes: true }, person);

  expect([script, asked, said]).toEqual([true, false, true]);
});

test.each([
  ['acme\n', true],
  [' acme \n', true],
  ['ACME\n', false],
  ['y\n', false],
  ['\n', false],
])('of a name that must be typed the answer %j counts as %s', async (answer, expected) => {
  const input = terminal();
  input.end(answer);

  const typed = await confirmByName('Delete acme?', 'acme', { input, output: terminal() });

  expect(typed).toBe(expected);
});

test('where nobody can type it no name is asked for', async () => {
  const streams = { input: new PassThrough(), output: terminal() };

  const asked = confirmByName('Delete acme?', 'acme', streams);

  await expect(asked).rejects.toMatchObject({ code: 'usage', message: /Add --yes/ });
});
