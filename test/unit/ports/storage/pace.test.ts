import { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pacedBytes, sendPaced } from '../../../../src/ports/storage/s3-server/request.ts';
import { codeOf } from './code-of.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** So many bytes at a time, one portion every so many milliseconds. */
async function* portions(bytes: number, everyMs: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < 20; i++) {
    vi.advanceTimersByTime(everyMs);
    yield Buffer.alloc(bytes);
  }
}

async function sizeOf(source: Readable): Promise<number> {
  let size = 0;
  for await (const part of pacedBytes(source, 30_000)) size += part.length;
  return size;
}

test('a slow line is waited for, also beyond the first minute', async () => {
  const source = Readable.from(portions(40_000, 20_000), { highWaterMark: 1 });

  expect(await sizeOf(source)).toBe(800_000);
});

test('a client that is far too slow is disconnected after the first minute', async () => {
  const source = Readable.from(portions(1, 20_000), { highWaterMark: 1 });

  expect(await codeOf(() => sizeOf(source))).toBe('RequestTimeout');
  expect(performance.now()).toBeGreaterThan(60_000);
  expect(performance.now()).toBeLessThan(120_000);
});

test('a client that stops is disconnected after the idle time', async () => {
  const source = Readable.from(portions(20_000, 31_000), { highWaterMark: 1 });

  expect(await codeOf(() => sizeOf(source))).toBe('RequestTimeout');
});

test('a reader that stops early leaves its source open for an answer', async () => {
  const source = Readable.from(portions(1000, 1));

  for await (const part of pacedBytes(source, 30_000)) if (part.length > 0) break;

  expect(source.destroyed).toBe(false);
});

test('a reader that is slow, but takes each block in time, gets all of them', async () => {
  let taken = 0;
  const reader = new Writable({
    highWaterMark: 1,
    write(block: Uint8Array, _encoding, done) {
      vi.advanceTimersByTime(20_000);
      taken += block.length;
      done();
    },
  });

  await sendPaced(portions(1000, 0), reader, 30_000);

  expect(taken).toBe(20_000);
});

test('a reader that takes nothing is cut off after the idle time', async () => {
  const reader = new Writable({ highWaterMark: 1, write: () => undefined });
  const sent = codeOf(() => sendPaced(portions(1000, 0), reader, 30_000));

  await vi.advanceTimersByTimeAsync(29_999);
  expect(reader.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);

  expect(reader.destroyed).toBe(true);
  expect(await sent).toBe('ERR_STREAM_PREMATURE_CLOSE');
});
