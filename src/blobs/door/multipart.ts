/** The acts on uploads in parts, but for completing and listing them. */

import { maxPartNumber } from '../multipart/upload-names.ts';
import type { Upload } from '../multipart/uploads.ts';
import { Refusal } from '../refusal.ts';
import type { Call } from './call.ts';
import { factsOf, checkHeaders } from './object-headers.ts';
import { answerWithEtag } from './put-object.ts';
import { receive } from './receive.ts';
import { sendXml } from './xml.ts';

/** CreateMultipartUpload. */
export async function createUpload({
  request,
  response,
  bucket,
  key,
  uploads,
}: Call): Promise<void> {
  const { id } = await uploads.create(key, factsOf(request));
  sendXml(response, 200, [
    'InitiateMultipartUploadResult',
    [
      ['Bucket', bucket],
      ['Key', key],
      ['UploadId', id],
    ],
  ]);
}

/** UploadPart. @throws {Refusal} with nothing written. */
export async function uploadPart(call: Call): Promise<void> {
  const { request, response, uploads, query } = call;
  checkHeaders(request);
  const number = partNumberOf(query.get('partNumber'));
  const { bytes, announcedBytes, check } = receive(call);
  const upload = await uploadOfCall(call);
  const record = await uploads.putPart(upload, number, {
    source: bytes,
    announcedBytes: announcedBytes ?? 0,
    beforeCommit: check,
  });
  answerWithEtag(response, record);
}

/** AbortMultipartUpload. */
export async function abortUpload(call: Call): Promise<void> {
  await call.uploads.abort(await uploadOfCall(call));
  call.response.statusCode = 204;
  call.response.end();
}

/** @throws {Refusal} `NoSuchUpload`. */
export async function uploadOfCall({ uploads, query, key }: Call): Promise<Upload> {
  return uploads.find(query.get('uploadId') ?? '', key);
}

function partNumberOf(text: string | undefined): number {
  const number = /^\d{1,5}$/.test(text ?? '') ? Number(text) : 0;
  if (number >= 1 && number <= maxPartNumber) return number;
  throw new Refusal('InvalidArgument', `partNumber must be 1 to ${maxPartNumber}.`);
}
