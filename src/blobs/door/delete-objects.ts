/** DeleteObjects: up to a thousand keys at once, each with an outcome of its own. */

import { ForensicsError } from '../../errors.ts';
import { maxKeyBytes } from '../checks.ts';
import type { ObjectFiles } from '../files/object-files.ts';
import { Refusal } from '../refusal.ts';
import type { Call } from './call.ts';
import { readXmlBody } from './read-body.ts';
import { toRefusal } from './refuse.ts';
import { type Element, sendXml } from './xml.ts';
import { childText, type Parsed } from './xml-reader.ts';

const maxKeys = 1000;

export async function deleteObjects(call: Call): Promise<void> {
  const body = await readXmlBody(call, 'Delete');
  const wanted = body.children.filter(({ name }) => name === 'Object');
  if (wanted.length === 0 || wanted.length > maxKeys) throw new Refusal('MalformedXML');
  const isQuiet = childText(body, 'Quiet')?.trim() === 'true';
  const outcomes: Element[] = [];
  for (const object of wanted) {
    const key = childText(object, 'Key') ?? '';
    const refusal = await deleteOne(call.objects, key, object);
    if (refusal !== null) outcomes.push(errorElement(key, refusal));
    else if (!isQuiet) outcomes.push(['Deleted', [['Key', key]]]);
  }
  sendXml(call.response, 200, ['DeleteResult', outcomes]);
}

/** Null when there is no such object any more. */
async function deleteOne(
  objects: ObjectFiles,
  key: string,
  { children }: Parsed,
): Promise<Refusal | null> {
  // A version or a condition: better refused than forgotten.
  if (children.length !== 1) return new Refusal('NotImplemented');
  if (Buffer.byteLength(key) > maxKeyBytes) return new Refusal('KeyTooLongError');
  try {
    await objects.remove(key);
    return null;
  } catch (error) {
    if (error instanceof ForensicsError) return toRefusal(error);
    throw error;
  }
}

function errorElement(key: string, { code, message }: Refusal): Element {
  return [
    'Error',
    [
      ['Key', key],
      ['Code', code],
      ['Message', message],
    ],
  ];
}
