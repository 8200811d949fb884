/**
 * Presigned URLs of blobs in an Azure container: a service SAS for one blob and what one method needs. The client library can
 * sign them too, but takes ten times as long, and a list of analyses has 2,100.
 *
 * @see Azure Storage REST API, "Create a service SAS", version 2020-12-06 and later.
 */

import { createHmac, createSecretKey } from 'node:crypto';
import type { StorageUrls } from '../../../contract/analysis.ts';
import { encodePath } from '../store.ts';

interface Container {
  readonly accountName: string;
  /** In Base64. */
  readonly accountKey: string;
  readonly containerName: string;
  readonly url: string;
  /** 1..604800. */
  readonly expirySeconds: number;
}

const version = '2021-12-02';
/** Clocks differ: a URL is valid from a little before it was made. */
const startsEarlierSeconds = 5 * 60;

export function createPresigner(container: Container): (key: string, now: Date) => StorageUrls {
  const { accountName, containerName, url, expirySeconds } = container;
  // A key object, not bytes: Node takes it several times as fast.
  const accountKey = createSecretKey(container.accountKey, 'base64');
  const protocol = url.startsWith('https:') ? 'https' : 'https,http';

  function sign(key: string, permissions: string, second: number): string {
    const start = isoSecond(second - startsEarlierSeconds);
    const end = isoSecond(second + expirySeconds);
    const resource = `/blob/${accountName}/${containerName}/${key}`;
    // No policy and no addresses before the protocol; no snapshot, scope and headers of the answer after the kind `b`.
    const text = [permissions, start, end, resource, '', '', protocol, version, 'b', ...nothing];
    const signature = createHmac('sha256', accountKey).update(text.join('\n')).digest('base64');
    const query = `sv=${version}&spr=${encodeURIComponent(protocol)}&st=${start}&se=${end}&sr=b&sp=${permissions}`;
    return `${query.replaceAll(':', '%3A')}&sig=${encodeURIComponent(signature)}`;
  }

  return (key, now) => {
    // A signature's time has no fraction of a second, so neither has the expiry.
    const second = Math.floor(now.getTime() / 1000);
    const blob = `${url}/${encodePath(key)}`;
    return {
      type: 'azure',
      objectKey: key,
      // Create and write: a second upload replaces the first, as in every other store.
      putUrl: `${blob}?${sign(key, 'cw', second)}`,
      getUrl: `${blob}?${sign(key, 'r', second)}`,
      deleteUrl: `${blob}?${sign(key, 'd', second)}`,
      expiresAt: new Date((second + expirySeconds) * 1000).toISOString(),
    };
  };
}

const nothing = Array.from({ length: 7 }, () => '');

/** `2026-01-02T03:04:05Z`. */
function isoSecond(second: number): string {
  return `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
}
