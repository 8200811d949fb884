/** Small pictures in lists. */

import { useEffect, useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';

const none: ReadonlyMap<string, string> = new Map();

/** Thumbnail URLs of one page of completed analyses, by id. Loaded after the list, which is shown without waiting for them. */
export function useThumbnails(analyses: readonly Analysis[]): ReadonlyMap<string, string> {
  const { tenantName } = useConsole();
  const [urls, setUrls] = useState(none);
  const ids = analyses
    .filter(({ inferenceStatus }) => inferenceStatus.status === 'completed')
    .map(({ id }) => id)
    .join(',');
  useEffect(() => {
    if (ids === '') return undefined;
    const end = new AbortController();
    const question = { query: { tenantName, ids }, signal: end.signal };
    void ask<readonly Record<'id' | 'jpeg', string>[]>('/v1/analysis/thumbnails', question).then(
      (found) => setUrls(new Map(found.map(({ id, jpeg }) => [id, toUrl(jpeg)] as const))),
      () => undefined,
    );
    return () => end.abort();
  }, [tenantName, ids]);
  useEffect(() => () => urls.forEach((url) => URL.revokeObjectURL(url)), [urls]);
  return urls;
}

function toUrl(jpeg: string): string {
  const bytes = Uint8Array.from(atob(jpeg), (character) => character.charCodeAt(0));
  return URL.createObjectURL(new Blob([bytes], { type: 'image/jpeg' }));
}

export function Thumbnail({ url }: { readonly url: string | undefined }) {
  return url === undefined ? null : <img class="thumbnail" src={url} alt="" />;
}
