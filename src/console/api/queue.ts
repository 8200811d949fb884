/** The queue of uploads. It belongs to no page, so opening an analysis does not interrupt it. */

import { upload, type UploadState, type UploadWish } from './upload.ts';

export interface Transfer {
  readonly id: number;
  readonly name: string;
  readonly state: UploadState;
}

interface Job {
  readonly id: number;
  readonly file: File;
  readonly wish: UploadWish;
  readonly end: AbortController;
}

/** More would only share the same bandwidth. */
const parallel = 3;

export type UploadQueue = ReturnType<typeof createUploadQueue>;

export function createUploadQueue(send: typeof upload = upload) {
  let transfers: readonly Transfer[] = [];
  let waiting: readonly Job[] = [];
  const running = new Set<Job>();
  const listeners = new Set<() => void>();
  let nextId = 1;

  function setState(id: number, state: UploadState): void {
    transfers = transfers.map((each) => (each.id === id ? { ...each, state } : each));
    for (const listener of listeners) listener();
  }

  function advance(): void {
    while (running.size < parallel && waiting.length > 0) {
      const [job, ...rest] = waiting;
      waiting = rest;
      void work(job!);
    }
  }

  async function work(job: Job): Promise<void> {
    const { id, file, wish, end } = job;
    running.add(job);
    await send({ file, wish, signal: end.signal, onState: (state) => setState(id, state) });
    running.delete(job);
    advance();
  }

  return {
    get transfers() {
      return transfers;
    },
    add(files: readonly File[], wish: UploadWish): void {
      const jobs = files.map((file) => ({ id: nextId++, file, wish, end: new AbortController() }));
      const added = jobs.map(({ id, file }) => ({
        id,
        name: file.webkitRelativePath || file.name,
        state: { is: 'waiting' as const },
      }));
      transfers = [...transfers, ...added];
      waiting = [...waiting, ...jobs];
      for (const listener of listeners) listener();
      advance();
    },
    /** Cancels those in progress and those that wait. */
    cancel(): void {
      const dropped = waiting;
      waiting = [];
      for (const { id } of dropped) setState(id, { is: 'cancelled' });
      for (const { end } of running) end.abort();
    },
    /** Removes those that have finished. */
    clear(): void {
      transfers = transfers.filter(({ state }) => !isOver(state));
      for (const listener of listeners) listener();
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function isOver({ is }: UploadState): boolean {
  return is === 'done' || is === 'refused' || is === 'cancelled';
}
