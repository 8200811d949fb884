import { expect, test } from 'vitest';
import { formats } from '../../../src/contract/formats.ts';
import {
  checkDimensions,
  checkSizeBytes,
  defaultLimits,
  localLimits,
  serviceLimits,
} from '../../../src/image/picture.ts';

test('local use allows up to 20,000 pixels per side and 100 megapixels', () => {
  expect(() => checkDimensions(20_000, 5000, localLimits)).not.toThrow();
  expect(() => checkDimensions(20_000, 5001, localLimits)).toThrow(
    expect.objectContaining({
      code: 'image_too_large',
      message: 'The picture is 20000 x 5001 pixels; at most 100 megapixels can be examined.',
    }),
  );
  expect(() => checkDimensions(20_001, 65, localLimits)).toThrow(/65 to 20000 pixels/);
});

test('a service accepts what its settings permit', () => {
  const limits = serviceLimits({ intake: 'everything', maxUploadBytes: 1024 });

  expect(limits).toEqual({
    minSidePx: 65,
    maxSidePx: 16_384,
    maxPixels: 100_000_000,
    maxBytes: 1024,
    formats,
  });
  expect(serviceLimits({ intake: 'contract', maxUploadBytes: 1024 }).formats).toEqual([
    'jpg',
    'png',
  ]);
  expect(serviceLimits({ intake: 'contract', maxUploadBytes: 1024 }).maxPixels).toBe(4096 * 4096);
});

test('one byte beyond the limit is rejected and never reported with the size of the limit', () => {
  expect(() => checkSizeBytes(50_000_001, defaultLimits)).toThrow(
    expect.objectContaining({
      code: 'image_too_many_bytes',
      message: 'The file is 50.1 MB in size; at most 50 MB can be examined.',
    }),
  );
});
