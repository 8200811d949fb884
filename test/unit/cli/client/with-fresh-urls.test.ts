import { expect, test } from 'vitest';
import { withFreshUrls } from '../../../../src/cli/client/analyses.ts';
import { ForensicsError } from '../../../../src/errors.ts';

interface Signed {
  readonly id: string;
  readonly signature: number;
}

/** A server that signs again at each read, for a store that accepts signatures from `oldest` on. */
function storeFrom(oldest: number) {
  let signature = 0;
  const sign = (id: string): Signed => ({ id, signature: ++signature });
  return {
    first: sign('a'),
    reader: { read: async (id: string) => sign(id) },
    use: async (analysis: Signed) => {
      if (analysis.signature >= oldest) return analysis.signature;
      throw new ForensicsError('url_expired', 'Too old.');
    },
  };
}

test('an expired URL is requested again', async () => {
  const { first, reader, use } = storeFrom(2);

  expect(await withFreshUrls(first, reader, use)).toBe(2);
});

test('a new URL that has already expired is blamed on the clocks', async () => {
  const { first, reader, use } = storeFrom(3);

  await expect(withFreshUrls(first, reader, use)).rejects.toMatchObject({
    code: 'store_refused',
    message: expect.stringContaining('clocks of server and store differ'),
  });
});

test('any other error is passed on unchanged', async () => {
  const { first, reader } = storeFrom(1);
  const refused = new ForensicsError('no_space_left', 'Full.');

  const trying = withFreshUrls(first, reader, async () => {
    throw refused;
  });

  await expect(trying).rejects.toBe(refused);
});
