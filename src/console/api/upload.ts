/** The upload of one picture: create the analysis, send the bytes, start it. Each step is retried until the server answers. */

import type { Analysis, GivenOptions } from '../../contract/analysis.ts';
import { removeAnalysis } from './analyses.ts';
import { ApiError, ask, persistently } from './client.ts';
import type { PictureLimits } from '../../contract/session.ts';
import { inspect, type Refusal, toName } from './picture.ts';

export type UploadState =
  | { readonly is: 'waiting' | 'preparing' | 'starting' | 'cancelled' }
  | { readonly is: 'uploading'; readonly share: number; readonly isRetrying: boolean }
  | { readonly is: 'done'; readonly id: string }
  | { readonly is: 'refused'; readonly refusal: Refusal | null; readonly message: string };

export interface UploadWish {
  readonly tenantName: string;
  readonly options: GivenOptions;
  readonly tags: readonly string[];
  /** The case it belongs to. */
  readonly projectId: string | null;
  readonly limits: PictureLimits;
}

interface UploadParts {
  readonly file: File;
  readonly wish: UploadWish;
  readonly onState: (state: UploadState) => void;
  readonly signal: AbortSignal;
}

/** Never rejects: the last state tells the outcome. */
export async function upload({ file, wish, onState, signal }: UploadParts): Promise<void> {
  const { tenantName, options, tags, projectId, limits } = wish;
  let made: Analysis | null = null;
  try {
    onState({ is: 'preparing' });
    const facts = await inspect(file, limits);
    if (typeof facts === 'string') {
      return onState({ is: 'refused', refusal: facts, message: '' });
    }
    const key = crypto.randomUUID();
    const name = toName(file.name);
    const input = { ...facts, version: 'v1', filename: file.name || name, options };
    made = await persistently(signal, async () => {
      const { data } = await ask<{ readonly data: readonly Analysis[] }>('/v1/analysis', {
        method: 'POST',
        body: { tenantName, name, type: 'image', input, tags, projectId },
        idempotencyKey: `${key}-create`,
        signal,
      });
      return data[0]!;
    });
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
    await persistently(signal, () =>
      ask('/v1/analysis/start', {
        method: 'POST',
        body: { tenantName, id },
        idempotencyKey: `${key}-start`,
        signal,
      }),
    );
    onState({ is: 'done', id });
  } catch (error) {
    if (signal.aborted) {
      onState({ is: 'cancelled' });
      if (made !== null) await removeAnalysis(tenantName, made.id).catch(() => undefined);
      return;
    }
    onState({ is: 'refused', refusal: null, message: error instanceof Error ? error.message : '' });
  }
}

/** Streams from the disk: the browser reads the file as it sends it. */
async function put(
  file: File,
  { type, putUrl }: Analysis['input']['storageUrls'],
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // Not fetch: it does not tell how much was sent.
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
