import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Agent } from 'node:https';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketCorsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  paginateListObjectsV2,
  PutBucketCorsCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bucket, type DoorServer, keys, otherBucket, region, startDoor } from './door-server.ts';

// Another client that we did not write. Over TLS it sends its bodies in chunks with a checksum behind them, without
// TLS it signs their digest: both ways go through every test here.
const Bucket = bucket;

describe.each(['https', 'http'] as const)('the AWS SDK over %s', (scheme) => {
  let server: DoorServer;
  let agent: Agent;
  let client: S3Client;

  beforeAll(async () => {
    server = await (scheme === 'https' ? startDoor() : startDoor({}, createServer()));
    agent = new Agent({ ca: server.ca, keepAlive: true });
    client = clientFor();
  });

  afterAll(async () => {
    client.destroy();
    agent.destroy();
    await server.close();
  });

  function clientFor(changes: S3ClientConfig = {}): S3Client {
    return new S3Client({
      endpoint: server.origin,
      region,
      forcePathStyle: true,
      credentials: keys.credentialsFor(bucket),
      requestHandler: { httpsAgent: agent },
      maxAttempts: 1,
      ...changes,
    });
  }

  async function bytesOf(Key: string, Range?: string): Promise<Buffer> {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, Range }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }

  function putIf(Body: string, condition: { IfMatch?: string; IfNoneMatch?: string }) {
    const object = { Bucket, Key: 'conditions', Body, ...condition };
    return client.send(new PutObjectCommand(object));
  }

  async function nameOfGet(changes: S3ClientConfig): Promise<string> {
    const other = clientFor(changes);
    const name = await nameOf(other.send(new GetObjectCommand({ Bucket, Key: 'conditions' })));
    other.destroy();
    return name;
  }

  async function startUpload(Key: string): Promise<string> {
    const command = new CreateMultipartUploadCommand({ Bucket, Key, ContentType: 'image/png' });
    const { UploadId } = await client.send(command);
    return UploadId!;
  }

  test('puts, heads, gets, gets a part of, and deletes an object', async () => {
    const Key = 'ä/with space+%.jpg';
    const Body = randomBytes(300_000);
    const facts = { ContentType: 'image/jpeg', Metadata: { case: 'A 17' } };

    const { ETag } = await client.send(new PutObjectCommand({ Bucket, Key, Body, ...facts }));
    const head = await client.send(new HeadObjectCommand({ Bucket, Key }));
    const [whole, part] = [await bytesOf(Key), await bytesOf(Key, 'bytes=1000-1049')];
    await client.send(new DeleteObjectCommand({ Bucket, Key }));

    expect(head).toMatchObject({ ...facts, ETag, ContentLength: 300_000 });
    expect([whole.equals(Body), part.equals(Body.subarray(1000, 1050))]).toEqual([true, true]);
    expect(await nameOf(client.send(new HeadObjectCommand({ Bucket, Key })))).toBe('NotFound');
    expect(await nameOf(client.send(new GetObjectCommand({ Bucket, Key })))).toBe('NoSuchKey');
  });

  test.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const)(
    'has its %s checked',
    async (ChecksumAlgorithm) => {
      const object = { Bucket, Key: ChecksumAlgorithm, Body: randomBytes(70_000) };
      // The SDK brings no code for the last of the CRCs; the checksum is then given by the caller.
      const checksum = ChecksumAlgorithm === 'CRC64NVME' ? {} : { ChecksumAlgorithm };
      const wrong = { ChecksumSHA256: createHash('sha256').update('other').digest('base64') };

      await client.send(new PutObjectCommand({ ...object, ...checksum }));
      const refused = await nameOf(client.send(new PutObjectCommand({ ...object, ...wrong })));

      expect((await bytesOf(object.Key)).equals(object.Body)).toBe(true);
      expect(refused).toBe('BadDigest');
    },
  );

  test('writes under conditions', async () => {
    const { ETag: IfMatch = '' } = await putIf('one', { IfNoneMatch: '*' });

    expect(await nameOf(putIf('two', { IfNoneMatch: '*' }))).toBe('PreconditionFailed');
    expect(await nameOf(putIf('three', { IfMatch }))).toBe('admitted');
    expect(await nameOf(putIf('four', { IfMatch }))).toBe('PreconditionFailed');
    expect((await bytesOf('conditions')).toString()).toBe('three');
  });

  test('lists in pages, by prefix and by folder', async () => {
    const names = ['l/a', 'l/b/1', 'l/b/2', 'l/c', 'l/ä', 'l/\uffee', 'l/😀'];
    for (const Key of names.toReversed()) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
    }
    const found: (string | undefined)[] = [];

    const wanted = { Bucket, Prefix: 'l/', MaxKeys: 3 };
    for await (const page of paginateListObjectsV2({ client }, wanted)) {
      found.push(...(page.Contents ?? []).map(({ Key }) => Key));
    }
    const folders = await client.send(
      new ListObjectsV2Command({ Bucket, Prefix: 'l/', Delimiter: '/', StartAfter: 'l/a' }),
    );

    expect(found).toEqual(names);
    expect(folders.CommonPrefixes).toEqual([{ Prefix: 'l/b/' }]);
    expect(folders.Contents?.map(({ Key }) => Key)).toEqual(names.slice(3));
  });

  test('deletes many at once, and hears of each', async () => {
    const put = (Key: string) => client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
    await Promise.all(['d/one', 'd/<two> & "three"', 'd/four'].map(put));
    const Objects = [
      { Key: 'd/one' },
      { Key: 'd/<two> & "three"' },
      { Key: 'd/never was' },
      { Key: 'd/four', VersionId: '1' },
    ];

    const { Deleted, Errors } = await client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects } }),
    );

    expect(Deleted).toEqual(Objects.slice(0, 3));
    expect(Errors).toMatchObject([{ Key: 'd/four', Code: 'NotImplemented' }]);
    const left = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'd/' }));
    expect(left.Contents?.map(({ Key }) => Key)).toEqual(['d/four']);
  });

  test('uploads 12 MB in parts, out of order, and finds them in every list', async () => {
    const Key = 'in parts/ü.png';
    const bytes = randomBytes(12_000_000);
    const cuts = [bytes.subarray(0, 5_500_000), bytes.subarray(5_500_000, 11_000_000)];
    const bodies = [...cuts, bytes.subarray(11_000_000)];
    const UploadId = await startUpload(Key);
    const place = { Bucket, Key, UploadId };
    const Parts = await Promise.all(
      bodies.map(async (Body, index) => {
        const PartNumber = 3 * index + 1;
        const command = new UploadPartCommand({ ...place, PartNumber, Body });
        const { ETag, ChecksumCRC32 } = await client.send(command);
        return { PartNumber, ETag, ChecksumCRC32 };
      }),
    );
    const open = await client.send(
      new ListMultipartUploadsCommand({ Bucket, Prefix: 'in parts/' }),
    );
    const first = await client.send(new ListPartsCommand({ ...place, MaxParts: 2 }));
    const PartNumberMarker = first.NextPartNumberMarker;
    const second = await client.send(new ListPartsCommand({ ...place, PartNumberMarker }));

    const done = await client.send(
      new CompleteMultipartUploadCommand({ ...place, MultipartUpload: { Parts } }),
    );

    const ETag = `"${md5(Buffer.concat(bodies.map(md5))).toString('hex')}-3"`;
    expect(done).toMatchObject({ Bucket, Key, ETag });
    expect(open.Uploads).toMatchObject([{ Key, UploadId }]);
    expect([first.IsTruncated, second.IsTruncated]).toEqual([true, false]);
    const listed = [...(first.Parts ?? []), ...(second.Parts ?? [])];
    expect(listed.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
      [1, 5_500_000],
      [4, 5_500_000],
      [7, 1_000_000],
    ]);
    expect((await bytesOf(Key)).equals(bytes)).toBe(true);
    expect(
      (await bytesOf(Key, 'bytes=5499999-5500000')).equals(bytes.subarray(5_499_999, 5_500_001)),
    ).toBe(true);
    const head = await client.send(new HeadObjectCommand({ Bucket, Key, IfMatch: ETag }));
    expect(head).toMatchObject({ ETag, ContentLength: 12_000_000, ContentType: 'image/png' });
    expect(await nameOf(client.send(new ListPartsCommand(place)))).toBe('NoSuchUpload');
  });

  test('aborts an upload, and hears what is wrong with others', async () => {
    const Key = 'aborted';
    const UploadId = await startUpload(Key);
    const place = { Bucket, Key, UploadId };
    const part = (PartNumber: number) =>
      client.send(new UploadPartCommand({ ...place, PartNumber, Body: `part ${PartNumber}` }));
    const [one, two] = [await part(1), await part(2)];
    const complete = (...Parts: { PartNumber: number; ETag: string | undefined }[]) =>
      nameOf(
        client.send(new CompleteMultipartUploadCommand({ ...place, MultipartUpload: { Parts } })),
      );
    const [first, second] = [
      { PartNumber: 1, ETag: one.ETag },
      { PartNumber: 2, ETag: two.ETag },
    ];

    expect([
      await complete(first, second),
      await complete(second, first),
      await complete(first, { ...second, ETag: one.ETag }),
      await complete(first, { PartNumber: 3, ETag: one.ETag }),
    ]).toEqual(['EntityTooSmall', 'InvalidPartOrder', 'InvalidPart', 'InvalidPart']);
    await client.send(new AbortMultipartUploadCommand(place));
    expect([await complete(first), await nameOf(part(1))]).toEqual([
      'NoSuchUpload',
      'NoSuchUpload',
    ]);
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
    expect(Uploads.filter((upload) => upload.Key === Key)).toEqual([]);
  });

  test('reads which origins are allowed, and cannot change them', async () => {
    const { CORSRules = [] } = await client.send(new GetBucketCorsCommand({ Bucket }));

    expect(CORSRules).toMatchObject([
      { AllowedOrigins: ['https://app.example', 'https://*.lab.example'], AllowedHeaders: ['*'] },
    ]);
    const command = new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } });
    expect(await nameOf(client.send(command))).toBe('NotImplemented');
  });

  test('is refused with a wrong secret, a wrong region, a wrong clock, and at the bucket of another', async () => {
    const right = keys.credentialsFor(bucket);

    expect([
      await nameOfGet({ credentials: { ...right, secretAccessKey: 'not the secret' } }),
      await nameOfGet({ credentials: { ...right, accessKeyId: 'nobody' } }),
      await nameOfGet({ credentials: keys.credentialsFor(otherBucket) }),
      await nameOfGet({ region: 'eu-central-1', followRegionRedirects: false }),
      await nameOfGet({ systemClockOffset: -16 * 60_000 }),
    ]).toEqual([
      'SignatureDoesNotMatch',
      'InvalidAccessKeyId',
      'AccessDenied',
      'AuthorizationHeaderMalformed',
      'RequestTimeTooSkewed',
    ]);
  });
});

/** The name of the error that the SDK makes of an answer; `admitted` for none. */
async function nameOf(act: Promise<unknown>): Promise<string> {
  return act.then(
    () => 'admitted',
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
}

function md5(data: Buffer): Buffer {
  return createHash('md5').update(data).digest();
}
