import { expect, test } from 'vitest';
import { createS3Store } from '../../../../src/ports/storage/s3/s3.ts';
import { withPrefix } from '../../../../src/ports/storage/store.ts';
import { s3ConfigAt } from './s3-config.ts';

const whole = createS3Store(s3ConfigAt('https://objects.example'));

test.each(['../other/key', 'a/../../other', './key', 'a/..', '..\\other', ''])(
  'no key escapes its prefix: %j',
  async (key) => {
    const part = withPrefix(whole, 'tenant/');
    const acts = [
      () => part.put(key, Buffer.from('x')),
      () => part.read(key, 10),
      () => part.head(key),
      () => part.delete(key),
      async () => part.presign(key, new Date(0)),
    ];

    for (const act of acts) await expect(act()).rejects.toMatchObject({ code: 'invalid_request' });
  },
);
