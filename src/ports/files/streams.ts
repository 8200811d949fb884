/** Reads streams of which the other end decides how much to send. */

/** All bytes; undefined if there are more than `maxBytes`, and then the rest is not read. */
export async function readUpTo(
  stream: AsyncIterable<unknown>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const bytes = await readStart(stream, maxBytes);
  return bytes.length > maxBytes ? undefined : bytes;
}

/** All bytes or, for a longer stream, slightly more than `maxBytes`; the rest is discarded by leaving the loop. */
export async function readStart(stream: AsyncIterable<unknown>, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream) {
    if (!(part instanceof Uint8Array)) throw new TypeError('Expected a stream of bytes.');
    parts.push(part);
    size += part.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(parts, size);
}
