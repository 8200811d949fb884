/**
 * The S3 adapter against a server that we did not write. Debian's packages need not be installed for it: in an empty
 * folder,
 *
 *     apt-get download swift-proxy lib{erasurecode1,icu72,xml2,xslt1.1} python3-{certifi,chardet,charset-normalizer} \
 *       python3-{distutils,dnspython,eventlet,greenlet,idna,lxml,netifaces,pastedeploy,pkg-resources,pyeclib} \
 *       python3-{requests,six,swift,urllib3,xattr}
 *     for package in *.deb; do dpkg -x "$package" unpacked; done
 *     export FORENSICS_TEST_SWIFT="$PWD/unpacked"
 *
 * (Debian 12, beside its `python3`.)
 */

import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { S3StorageConfig } from '../../src/contract/tenant.ts';
import { createS3Store } from '../../src/ports/storage/s3/s3.ts';
import type { RemoteStore } from '../../src/ports/storage/store.ts';
import { configAt, storesAt } from '../fixtures/given-s3.ts';
import { findSwift, startSwift, type Swift, type SwiftServer } from '../fixtures/swift.ts';
import { describeBlobStore } from './blob-store.ts';

const found = findSwift();
if (found === null) {
  test('the S3 store on OpenStack Swift', ({ skip }) =>
    skip('Swift is not installed; see the top of this file.'));
} else {
  describe('OpenStack Swift', () => describeSwift(found));
}

function describeSwift(installed: Swift): void {
  let swift: SwiftServer;
  beforeAll(async () => {
    swift = await startSwift(installed);
    return () => swift.close();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const storeWith = (changes: Partial<S3StorageConfig> = {}): RemoteStore =>
    createS3Store({ ...configAt(swift), ...changes });

  describeBlobStore('the S3 store', async () => storesAt(swift));

  test('the probe of its bucket succeeds', async () => {
    await storeWith().probe();
  });

  test.each<[what: string, changes: Partial<S3StorageConfig>, says: RegExp]>([
    ['the secret is wrong', { secretAccessKey: 'wrong' }, /secret access key/],
    // Swift reports an unknown access key as a wrong signature.
    ['the access key is unknown', { accessKeyId: 'test:nobody' }, /signature.* access key/],
    ['the region is wrong', { region: 'eu-west-9' }, /region/],
    ['the bucket is missing', { bucketName: 'no-pictures' }, /bucket does not exist/],
  ])('the probe says what to check when %s', async (_what, changes, sentence) => {
    await expect(storeWith(changes).probe()).rejects.toMatchObject({
      code: 'store_refused',
      message: expect.stringMatching(sentence),
    });
  });

  test.each([-16, 16])('the probe reports clocks that differ by %d minutes', async (minutes) => {
    vi.useFakeTimers({ now: Date.now() + minutes * 60_000, toFake: ['Date'] });

    await expect(storeWith().probe()).rejects.toMatchObject({
      code: 'store_refused',
      message: expect.stringContaining('clocks'),
    });
  });

  test.each([-14, 14])('clocks may differ by %d minutes', async (minutes) => {
    vi.useFakeTimers({ now: Date.now() + minutes * 60_000, toFake: ['Date'] });

    await storeWith().probe();
  });

  test('CORS rules, which Swift lacks, give a warning', async () => {
    expect(await storeWith().applyCors(['https://app.example'])).toEqual({
      applied: false,
      reason: 'The store does not support this.',
    });
  });
}
