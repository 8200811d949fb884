import { expect, test } from 'vitest';
import { checksums } from '../../../src/blobs/door/checksums.ts';

// Check values of the catalogue of parametrised CRC algorithms, and digests of FIPS 180, over the text 123456789.
test.each([
  ['x-amz-checksum-crc32', 'cbf43926'],
  ['x-amz-checksum-crc32c', 'e3069283'],
  ['x-amz-checksum-crc64nvme', 'ae8b14860a799888'],
  ['x-amz-checksum-sha1', 'f7c3bc1d808e04732adf679965ccc34ca7ae3441'],
  ['x-amz-checksum-sha256', '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225'],
])('%s has its published value, whole and in parts', (name, hex) => {
  const digestOf = (parts: readonly string[]) => {
    const sum = checksums[name]!();
    for (const part of parts) sum.update(Buffer.from(part));
    return sum.digest().toString('hex');
  };

  expect(digestOf(['123456789'])).toBe(hex);
  expect(digestOf(['1', '2345', '', '6789'])).toBe(hex);
  expect(hex.length).toBe(2 * checksums[name]!().bytes);
});
