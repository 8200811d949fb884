/** Uploads and their queue. Each creates an analysis, sends the bytes and starts it; each step is retried. */

import type { Analysis, GivenOptions } from '../../contract/analysis.ts';
import { removeAnalysis } from './analyses.ts';
import { ApiError, ask, persistently } from './client.ts';
import type { PictureLimits } from '../../contract/auth.ts';
import { inspect, type Refusal, toName } from './picture.ts';

export type UploadState =
  | { readonly is: 'waiting' | 'preparing' | 'starting' | 'cancelled' }
  | { readonly is: 'uploading'; readonly share: number; readonly isRetrying: boolean }
  | { readonly is: 'done'; readonly id: string }
  | { readonly is: 'refused'; readonly refusal: Refusal | null; readonly error: unknown };

interface UploadWish extends Pick<Analysis, 'tags' | 'projectId'> {
  readonly tenantName: string;
  readonly options: GivenOptions;
  readonly limits: PictureLimits;
}

interface UploadParts {
  readonly file: File;
  readonly wish: UploadWish;
  readonly onState: (state: UploadState) => void;
  readonly signal: AbortSignal;
}

/** Never rejects; the outcome is the last state. */
export async function upload({ file, wish, onState, signal }: UploadParts): Promise<void> {
  const { tenantName, options, tags, projectId, limits } = wish;
  let made: Analysis | null = null;
  try {
    const facts = await inspect(file, limits);
    if (typeof facts === 'string') return onState({ is: 'refused', refusal: facts, error: null });
    const key = crypto.randomUUID();
    const name = toName(file.name);
    const input = { ...facts, version: 'v1', filename: file.name || name, options };
    const body = { tenantName, name, type: 'image', input, tags, projectId };
    const request = { body, idempotencyKey: `${key}-create`, signal };
    [made] = await persistently(signal, () => ask<readonly [Analysis]>('/v1/analysis', request));
    const { id, input: created } = made;
    let isRetrying = false;
    await persistently(signal, async () => {
      onState({ is: 'uploading', share: 0, isRetrying });
      isRetrying = true;
      await put(file, created.storageUrls, signal, (share) =>
        onState({ is: 'uploading', share, isRetrying: false }),
      );
    });
    onState({ is: 'starting' });
    const start = { body: { tenantName, id }, idempotencyKey: `${key}-start`, signal };
    await persistently(signal, () => ask('/v1/analysis/start', start));
    onState({ is: 'done', id });
  } catch (error) {
    if (signal.aborted) {
      onState({ is: 'cancelled' });
      if (made !== null) await removeAnalysis({ tenantName, id: made.id }).catch(() => undefined);
      return;
    }
    // The picture itself is at fault, so the analysis has failed and gives the reason.
    if (made !== null && error instanceof ApiError && error.status === 422) {
      return onState({ is: 'done', id: made.id });
    }
    onState({ is: 'refused', refusal: null, error });
  }
}

/** Streams from disk: the browser reads the file while sending it. */
async function put(
  file: File,
  { type, putUrl }: Analysis['input']['storageUrls'],
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // fetch cannot be used, because it does not report upload progress.
    const request = new XMLHttpRequest();
    request.open('PUT', putUrl);
    if (type === 'azure') request.setRequestHeader('x-ms-blob-type', 'BlockBlob');
    request.upload.addEventListener('progress', ({ loaded, total }) => onShare(loaded / total));
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) return resolve();
      const isTemporary = request.status >= 500 || request.status === 429;
      reject(new ApiError(isTemporary ? 503 : request.status, 'store_refused', ''));
    });
    request.addEventListener('error', () => reject(new ApiError(0, 'unreachable', '')));
    request.addEventListener('abort', () => reject(new ApiError(0, 'cancelled', '')));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

export interface Transfer extends Pick<UploadParts, 'file' | 'wish'> {
  readonly id: number;
  readonly name: string;
  readonly end: AbortController;
  readonly state: UploadState;
}

/** More uploads at a time would only share the same bandwidth. */
const parallel = 3;

/** Belongs to no page, so opening an analysis does not interrupt it. */
export function createUploadQueue(send: typeof upload = upload) {
  let transfers: readonly Transfer[] = [];
  let running = 0;
  let nextId = 1;
  const listeners = new Set<() => void>();

  function change(next: readonly Transfer[]): void {
    transfers = next;
    for (const listener of listeners) listener();
  }

  function setState(id: number, state: UploadState): void {
    change(transfers.map((each) => (each.id === id ? { ...each, state } : each)));
  }

  async function advance(): Promise<void> {
    const next = transfers.find(({ state }) => state.is === 'waiting');
    if (next === undefined || running >= parallel) return;
    const { id, file, wish, end } = next;
    running += 1;
    setState(id, { is: 'preparing' });
    await send({ file, wish, signal: end.signal, onState: (state) => setState(id, state) });
    running -= 1;
    void advance();
  }

  return {
    get transfers() {
      return transfers;
    },
    add(files: readonly File[], wish: UploadWish): void {
      const added = files.map((file) => ({
        id: nextId++,
        name: file.webkitRelativePath || file.name,
        file,
        wish,
        end: new AbortController(),
        state: { is: 'waiting' as const },
      }));
      change([...transfers, ...added]);
      for (let at = 0; at < parallel; at++) void advance();
    },
    /** Cancels uploads in progress and those still waiting. */
    cancel(): void {
      for (const { id, end, state } of transfers) {
        if (state.is === 'waiting') setState(id, { is: 'cancelled' });
        else end.abort();
      }
    },
    clear(): void {
      change(transfers.filter(({ state }) => !isOver(state)));
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
