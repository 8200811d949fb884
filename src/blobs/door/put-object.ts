import type { ServerResponse } from 'node:http';
import type { ObjectRecord } from '../files/record.ts';
import type { Call } from './call.ts';
import { writeConditions } from './conditions.ts';
import { factsOf } from './object-headers.ts';
import { receive } from './receive.ts';

/** PUT object. @throws {Refusal} with nothing written. */
export async function putObject(call: Call): Promise<void> {
  const { request, response, objects, key } = call;
  const facts = factsOf(request);
  const conditions = writeConditions(request);
  const { bytes, announcedBytes, check } = receive(call);
  // Before the body is asked for, and again when it has come.
  conditions.mayReplace?.(await objects.head(key));
  const record = await objects.write(key, {
    ...facts,
    ...conditions,
    source: bytes,
    announcedBytes: announcedBytes ?? 0,
    beforeCommit: check,
  });
  answerWithEtag(response, record);
}

/** What a client hears of bytes that were taken. */
export function answerWithEtag(response: ServerResponse, { etag }: ObjectRecord): void {
  response.setHeader('ETag', `"${etag}"`);
  response.setHeader('Content-Length', 0);
  response.statusCode = 200;
  response.end();
}
