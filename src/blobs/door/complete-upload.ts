/** CompleteMultipartUpload: the client names the parts, each with its ETag, and they become the object. */

import type { Part } from '../multipart/part-files.ts';
import { Refusal } from '../refusal.ts';
import { encodePath } from '../signature/canonical.ts';
import { type Call, oneHeader } from './call.ts';
import { type Checksum, checksums } from './checksums.ts';
import { writeConditions } from './conditions.ts';
import { uploadOfCall } from './multipart.ts';
import { announcedChecksums, parseDigest } from './receive.ts';
import { readXmlBody } from './read-body.ts';
import { sendXml } from './xml.ts';
import { childText, type Parsed } from './xml-reader.ts';

/** 5 MiB, the least that S3 takes for every part but the last. */
const minPartBytes = 5_242_880;

interface Named {
  readonly number: number;
  readonly etag: string;
  readonly sums: readonly Sum[];
}

interface Sum {
  readonly sum: Checksum;
  readonly value: Buffer;
}

export async function completeUpload(call: Call): Promise<void> {
  const { request, response, bucket, key, uploads } = call;
  const conditions = writeConditions(request);
  // Headers of checksums speak of the object here, not of the body.
  const ofObject = announcedChecksums(call);
  const upload = await uploadOfCall(call);
  const body = await readXmlBody(call, 'CompleteMultipartUpload', []);
  const named = body.children.filter(({ name }) => name === 'Part').map(readPart);
  const sumsOf = new Map(named.map(({ number, sums }) => [number, sums]));
  const sizeText = oneHeader(request, 'x-amz-mp-object-size');

  const { etag } = await uploads.complete(upload, {
    ...conditions,
    choose: (parts) => choose(named, parts),
    watch({ number }, bytes) {
      for (const { sum } of [...(sumsOf.get(number) ?? []), ...ofObject]) sum.update(bytes);
    },
    beforeCommit({ sizeBytes }) {
      if (sizeText !== null && Number(sizeText) !== sizeBytes) {
        throw new Refusal(
          'InvalidRequest',
          'The object has another size than x-amz-mp-object-size.',
        );
      }
      if (!named.every(({ sums }) => sums.every(isRight))) throw new Refusal('InvalidPart');
      if (!ofObject.every(isRight)) throw new Refusal('BadDigest');
    },
  });
  sendXml(response, 200, [
    'CompleteMultipartUploadResult',
    [
      ['Location', `/${bucket}/${encodePath(key)}`],
      ['Bucket', bucket],
      ['Key', key],
      ['ETag', `"${etag}"`],
    ],
  ]);
}

/** @throws {Refusal} `MalformedXML`, `InvalidPartOrder`, `InvalidPart`, `EntityTooSmall`. */
function choose(named: readonly Named[], parts: readonly Part[]): Part[] {
  if (named.length === 0) throw new Refusal('MalformedXML');
  const isOrdered = named.every(
    ({ number }, index) => index === 0 || named[index - 1]!.number < number,
  );
  if (!isOrdered) throw new Refusal('InvalidPartOrder');
  const byNumber = new Map(parts.map((part) => [part.number, part]));
  const chosen = named.map(({ number, etag }) => {
    const part = byNumber.get(number);
    if (part?.md5 !== etag) throw new Refusal('InvalidPart');
    return part;
  });
  const isTooSmall = chosen.slice(0, -1).some(({ sizeBytes }) => sizeBytes < minPartBytes);
  if (isTooSmall) throw new Refusal('EntityTooSmall');
  return chosen;
}

function readPart(part: Parsed): Named {
  const number = childText(part, 'PartNumber')?.trim() ?? '';
  const etag = childText(part, 'ETag')?.trim().replaceAll('"', '');
  if (!/^\d{1,5}$/.test(number) || etag === undefined) throw new Refusal('MalformedXML');
  return { number: Number(number), etag, sums: part.children.flatMap(readSum) };
}

function readSum({ name, text }: Parsed): Sum[] {
  if (!name.startsWith('Checksum')) return [];
  const make = checksums[`x-amz-checksum-${name.slice('Checksum'.length).toLowerCase()}`];
  if (make === undefined) throw new Refusal('NotImplemented', `${name} is not known here.`);
  const sum = make();
  return [{ sum, value: parseDigest(text.trim(), sum.bytes) }];
}

function isRight({
  sum,
  value,
}: {
  readonly sum: Checksum;
  readonly value: Buffer | null;
}): boolean {
  return value?.equals(sum.digest()) === true;
}
