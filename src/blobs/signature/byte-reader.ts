import { Refusal } from '../refusal.ts';

export interface ByteReader {
  /** Up to the next line feed, without CR and LF. @throws {Refusal} when longer than `maxBytes`. */
  line(maxBytes: number): Promise<string>;
  /** At least one byte, at most `count`. */
  atMost(count: number): Promise<Uint8Array>;
  /** All that is left, as text. @throws {Refusal} when longer than `maxBytes`. */
  rest(maxBytes: number): Promise<string>;
  close(): Promise<void>;
}

/** Reads lines and runs of bytes from a stream. A stream that ends too early is `IncompleteBody`. */
export function createByteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const iterator = source[Symbol.asyncIterator]();
  let pending: Buffer = Buffer.alloc(0);

  /** False at the end of the stream. */
  async function more(): Promise<boolean> {
    const { done, value } = await iterator.next();
    if (done === true) return false;
    pending = pending.length === 0 ? Buffer.from(value) : Buffer.concat([pending, value]);
    return true;
  }

  async function line(maxBytes: number): Promise<string> {
    for (;;) {
      const at = pending.indexOf(0x0a);
      if (at > maxBytes || (at < 0 && pending.length > maxBytes)) throw tooLong();
      if (at >= 0) {
        const text = pending.toString('latin1', 0, at);
        pending = pending.subarray(at + 1);
        return text.endsWith('\r') ? text.slice(0, -1) : text;
      }
      if (!(await more())) throw new Refusal('IncompleteBody');
    }
  }

  async function atMost(count: number): Promise<Uint8Array> {
    while (pending.length === 0) {
      if (!(await more())) throw new Refusal('IncompleteBody');
    }
    const part = pending.subarray(0, count);
    pending = pending.subarray(part.length);
    return part;
  }

  async function rest(maxBytes: number): Promise<string> {
    do {
      if (pending.length > maxBytes) throw tooLong();
    } while (await more());
    return pending.toString('latin1');
  }

  async function close(): Promise<void> {
    await iterator.return?.();
  }

  return { line, atMost, rest, close };
}

function tooLong(): Refusal {
  return new Refusal('MalformedTrailerError');
}
