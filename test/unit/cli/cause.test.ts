import { expect, test, vi } from 'vitest';
import { printFailure } from '../../../src/cli/errors.ts';
import { ForensicsError } from '../../../src/contract/errors.ts';

/** What `--verbose` prints below the message. */
function causesOf(failure: Error): string {
  let printed = '';
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  printFailure(failure, { verbose: true });
  spy.mockRestore();
  return printed.slice(printed.indexOf('\n') + 1);
}

test('the whole chain of causes is printed, with codes and stacks', () => {
  const system = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' });
  const failure = new ForensicsError('server_unreachable', 'Nobody is there.', { cause: system });

  const causes = causesOf(failure);

  expect(causes).toMatch(/^ForensicsError: Nobody is there\. \[server_unreachable\]\n +at /);
  expect(causes).toMatch(/^caused by: Error: connect refused \[ECONNREFUSED\]$/m);
});

test.each([
  'sk-abcd1234-0123456789abcdefghijABCDEFGHIJ01234567',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'Authorization: ApiKey hush-hush',
  'authorization: bearer hush-hush',
  'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJodXNoIn0.aHVzaC1odXNo',
  'GET https://bucket.example/key?X-Amz-Signature=hush-hush',
  'smtps://someone:hush-hush@mail.example',
])('the secret in %j is masked in a printed cause', (secret) => {
  const failure = new ForensicsError('internal', 'It failed.', {
    cause: new Error(`said: ${secret}`),
  });

  const causes = causesOf(failure);

  expect(causes).toContain('***');
  expect(causes).not.toMatch(/hush|0123456789|MfKQ9r8|aHVzaC1/);
});

test('other properties of foreign errors are not printed', () => {
  const cause = Object.assign(new Error('refused'), { request: { headers: { cookie: 'hush' } } });

  expect(causesOf(new ForensicsError('internal', 'It failed.', { cause }))).not.toContain('hush');
});

test('a circular chain of causes is cut off', () => {
  const cause = new Error('around');
  cause.cause = cause;

  expect(causesOf(cause).match(/around/g)?.length).toBeLessThan(20);
});
