/**
 * How much a bucket may still take. Sizes of files count, including the 0.3 kB of facts in each object. Incoming bytes are
 * claimed before they are written, so that concurrent writers cannot exceed the quota; an object that replaces another needs
 * room beside it.
 *
 * Another process may write to the same folder. So files are counted again when the count is older than `countLastsMs`, and
 * before an upload is refused: only what other processes wrote within that time can exceed the quota.
 */

import { ForensicsError } from '../../../errors.ts';

interface Claim {
  /** Passes the bytes on; claims more when more arrive than were announced. */
  metered(source: AsyncIterable<unknown>): AsyncIterable<unknown>;
  /** To be called in every case, after `changed` for what was written. */
  release(): void;
}

export interface Quota {
  /** @throws {ForensicsError} `no_space_left` when the quota has no room for this many bytes. */
  claim(bytes: number): Promise<Claim>;
  /** The bucket holds this many bytes more, or fewer. */
  changed(bytes: number): void;
}

interface QuotaSettings {
  /** 0 for none. */
  readonly quotaBytes: number;
  /** The size of all files that count. */
  readonly count: () => Promise<number>;
  readonly now: () => Date;
}

const countLastsMs = 10_000;
/** Counting a large bucket takes long; at most this share of the time is spent on it. */
const countShare = 0.02;
/** Repeated refusals must not cause a count each time. */
const rejectionLastsMs = 1000;

const freeClaim: Claim = { metered: (source) => source, release: () => undefined };

export function createQuota({ quotaBytes, count, now }: QuotaSettings): Quota {
  if (quotaBytes === 0) return { claim: async () => freeClaim, changed: () => undefined };
  let claimedBytes = 0;
  const used = createCount({ count, now });
  const fits = (bytes: number) => used.bytes() + claimedBytes + bytes <= quotaBytes;

  async function take(bytes: number): Promise<void> {
    await used.renew();
    if (!fits(bytes)) await used.renew(rejectionLastsMs);
    if (!fits(bytes)) throw overQuota(quotaBytes);
    claimedBytes += bytes;
  }

  async function claim(announced: number): Promise<Claim> {
    await take(announced);
    let held = announced;
    return {
      async *metered(source) {
        let seen = 0;
        for await (const chunk of source) {
          seen += chunk instanceof Uint8Array ? chunk.length : 0;
          const more = Math.max(0, seen - held);
          if (more > 0) await take(more);
          held += more;
          yield chunk;
        }
      },
      release() {
        claimedBytes -= held;
        held = 0;
      },
    };
  }

  return { claim, changed: (bytes) => used.changed(bytes) };
}

function createCount({ count, now }: Omit<QuotaSettings, 'quotaBytes'>) {
  let usedBytes = 0;
  /** Written during a count, which may have missed it. Counted twice at worst, which only refuses too early until the next count. */
  let putMeanwhileBytes = 0;
  let countedAtMs = Number.NEGATIVE_INFINITY;
  let lastsMs = countLastsMs;
  let counting: Promise<void> | null = null;

  async function recount(): Promise<void> {
    putMeanwhileBytes = 0;
    const [atMs, startedAt] = [now().getTime(), performance.now()];
    try {
      usedBytes = (await count()) + putMeanwhileBytes;
      lastsMs = Math.max(countLastsMs, (performance.now() - startedAt) / countShare);
      countedAtMs = atMs;
    } finally {
      counting = null;
    }
  }

  return {
    bytes: () => usedBytes,
    /** Counts again when the count is older than this. */
    async renew(afterMs = lastsMs): Promise<void> {
      if (Math.abs(now().getTime() - countedAtMs) <= afterMs) return;
      await (counting ??= recount());
    },
    changed(bytes: number): void {
      usedBytes += bytes;
      putMeanwhileBytes += Math.max(0, bytes);
    },
  };
}

function overQuota(quotaBytes: number): ForensicsError {
  return new ForensicsError(
    'no_space_left',
    `The storage quota of this tenant, ${quotaBytes} bytes, has no room for this. Delete what is no longer needed, or ask for a larger quota.`,
  );
}
