/**
 * How much a bucket may still take. Files are counted as they lie on the disk, with the 0.3 kB that each object needs
 * for its facts. Bytes on their way in are claimed before they are written, so that no number of writers at once passes
 * the quota; an object that replaces another needs room beside it.
 *
 * Another process may write into the same folder. So files are counted anew when the count is older than
 * `countLastsMs`, and before anybody is refused: the quota can be passed only by what others put there within that time.
 */

import { ForensicsError } from '../../../errors.ts';

interface Claim {
  /** The bytes, once there is room for them: more is claimed when more comes than was announced. */
  metered(source: AsyncIterable<unknown>): AsyncIterable<unknown>;
  /** To be called in any case, after `changed` was called for what was written. */
  release(): void;
}

export interface Quota {
  /** @throws {ForensicsError} `no_space_left` when the quota leaves no room for so many bytes. */
  claim(bytes: number): Promise<Claim>;
  /** So many bytes more, or fewer, lie in the bucket. */
  changed(bytes: number): void;
}

interface QuotaSettings {
  /** 0 for none. */
  readonly quotaBytes: number;
  /** Bytes of all files that count. */
  readonly count: () => Promise<number>;
  readonly now: () => Date;
}

const countLastsMs = 10_000;
/** Counting a large bucket takes long; it must not become all that is done. */
const countShare = 0.02;
/** A client that is refused again and again must not make us count again and again. */
const rejectionLastsMs = 1000;

const freeClaim: Claim = { metered: (source) => source, release: () => undefined };

export function createQuota({ quotaBytes, count, now }: QuotaSettings): Quota {
  if (quotaBytes === 0) return { claim: async () => freeClaim, changed: () => undefined };
  let usedBytes = 0;
  let claimedBytes = 0;
  /** Put while we count: seen or not, so counted again. Too much is refused too early, until the next count. */
  let putMeanwhileBytes = 0;
  let countedAtMs = Number.NEGATIVE_INFINITY;
  let lastsMs = countLastsMs;
  let counting: Promise<void> | null = null;

  const ageMs = () => Math.abs(now().getTime() - countedAtMs);
  const fits = (bytes: number) => usedBytes + claimedBytes + bytes <= quotaBytes;

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

  function counted(): Promise<void> {
    counting ??= recount();
    return counting;
  }

  async function take(bytes: number): Promise<void> {
    if (ageMs() > lastsMs) await counted();
    if (!fits(bytes) && ageMs() > rejectionLastsMs) await counted();
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

  return {
    claim,
    changed(bytes) {
      usedBytes += bytes;
      putMeanwhileBytes += Math.max(0, bytes);
    },
  };
}

function overQuota(quotaBytes: number): ForensicsError {
  return new ForensicsError(
    'no_space_left',
    `The storage quota of this tenant, ${quotaBytes} bytes, leaves no room for this; delete what is not needed, or ask for a larger quota.`,
  );
}
