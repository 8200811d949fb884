/** Reads streams whose other end decides how much it sends. */

/** All bytes; undefined if there are more than `maxBytes`, in which case the rest is not read. */
export async function readUpTo(
  stream: AsyncIterable<unknown>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const bytes = await readStart(stream, maxBytes);
  return bytes.length > maxBytes ? undefined : bytes;
}

/** All bytes or, for a longer stream, a little more than `maxBytes`; leaving the loop discards the rest. */
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
