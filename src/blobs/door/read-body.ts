import { createHash } from 'node:crypto';
import { Refusal } from '../refusal.ts';
import type { Call } from './call.ts';
import { type Announced, receive } from './receive.ts';
import { type Parsed, parseXml } from './xml-reader.ts';

/** Ten thousand parts, or a thousand long keys, with room to spare. */
const maxBodyBytes = 4_194_304;

/**
 * The XML that an operation is told with.
 *
 * @param expected - As in `receive`.
 * @throws {Refusal} `MalformedXML` unless it is one element `name`; what `receive` throws.
 */
export async function readXmlBody(
  call: Call,
  name: string,
  expected?: readonly Announced[],
): Promise<Parsed> {
  const limits = { ...call.limits, maxObjectBytes: maxBodyBytes };
  const { bytes, check } = receive({ ...call, limits }, expected);
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of bytes) {
    sizeBytes += part.length;
    if (sizeBytes > maxBodyBytes) throw new Refusal('EntityTooLarge');
    parts.push(part);
  }
  const body = Buffer.concat(parts);
  const digest = (algorithm: string) => createHash(algorithm).update(body).digest('hex');
  check({ sizeBytes, md5: digest('md5'), sha256: digest('sha256') });
  const root = parseXml(body);
  if (root.name !== name) throw new Refusal('MalformedXML');
  return root;
}
