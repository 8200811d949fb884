import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { openContainer } from '../../../image/container.ts';
import { defaultLimits } from '../../../image/limits.ts';
import type { Format } from '../../../image/picture.ts';
import { type Input, readSource } from '../inputs.ts';

/** What is told to a server of a picture before it is uploaded, and the very bytes that this was read from. */
export interface RemotePicture {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly format: Format;
  readonly width: number;
  readonly height: number;
}

/** Looked at, not decoded: what the server would refuse does not travel. @throws as `readSource` and `openContainer`. */
export async function readPicture(input: Input): Promise<RemotePicture> {
  const { bytes } = await readSource(input);
  const { format, container } = openContainer(bytes, defaultLimits);
  const { storedWidth: width, storedHeight: height } = container.facts;
  const name = input.path === null ? 'stdin' : basename(input.path);
  return { name, bytes, sha256: hash('sha256', bytes), format, width, height };
}
