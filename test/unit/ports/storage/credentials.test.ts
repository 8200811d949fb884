import { expect, test } from 'vitest';
import {
  bucketNameFor,
  createBucketCredentials,
} from '../../../../src/ports/storage/embedded/credentials.ts';

const tenantId = '0123456789abcdef01234567';
const bucket = bucketNameFor(tenantId);
const keys = createBucketCredentials(Buffer.alloc(32, 1));

test('the keys of a bucket are the same whenever they are computed', () => {
  const again = createBucketCredentials(Buffer.alloc(32, 1));

  expect(again.credentialsFor(bucket)).toEqual(keys.credentialsFor(bucket));
  expect(keys.credentialsFor(bucket)).toEqual({
    accessKeyId: expect.stringMatching(/^FK0123456789ABCDEF01234567[0-9A-F]{8}$/),
    secretAccessKey: expect.stringMatching(/^[\w-]{40}$/),
  });
});

test('another bucket and another master key give other keys', () => {
  const other = createBucketCredentials(Buffer.alloc(32, 2));
  const all = [
    keys.credentialsFor(bucket),
    keys.credentialsFor(bucketNameFor('f'.repeat(24))),
    other.credentialsFor(bucket),
  ];

  expect(new Set(all.map(({ accessKeyId }) => accessKeyId)).size).toBe(3);
  expect(new Set(all.map(({ secretAccessKey }) => secretAccessKey)).size).toBe(3);
});

test('an access key leads back to its bucket and secret', () => {
  const { accessKeyId, secretAccessKey } = keys.credentialsFor(bucket);

  expect(keys.secretFor(accessKeyId)).toEqual({ secretAccessKey, bucket });
});

test('an access key of another master key, a changed one and nonsense lead nowhere', () => {
  const { accessKeyId } = keys.credentialsFor(bucket);
  const other = createBucketCredentials(Buffer.alloc(32, 2)).credentialsFor(bucket);
  const wrong = [other.accessKeyId, accessKeyId.replace('FK0', 'FK1'), `${accessKeyId}0`, '', 'FK'];

  expect(wrong.map((id) => keys.secretFor(id))).toEqual([null, null, null, null, null]);
});

test.each(['', '../../../../../etc/passwd', 'A'.repeat(24), 'a'.repeat(23), `${'a'.repeat(24)}\n`])(
  'a bucket is never named after %j',
  (wrong) => {
    expect(() => bucketNameFor(wrong)).toThrow(RangeError);
  },
);

test('a master key shorter than 32 bytes is refused', () => {
  expect(() => createBucketCredentials(Buffer.alloc(31))).toThrow(RangeError);
});
