/** One HTTPS request as Node sends it: no client library tidies up its path, headers or body. */

import type { IncomingHttpHeaders } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import type { S3ApiServer } from './s3-api-server.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The `Code` of an error in S3's XML; null for anything else. */
  readonly code: string | null;
  /** Whether the server said `100 Continue` before. */
  readonly wasContinued: boolean;
}

/** @param pathAndQuery - Sent as it is; a whole URL is cut down to it. */
export function sendRaw(
  server: S3ApiServer,
  pathAndQuery: string,
  options: RequestOptions & { readonly body?: string | Buffer } = {},
): Promise<Answer> {
  const { body, ...rest } = options;
  const path = pathAndQuery.replace(/^https:\/\/[^/]+/, '');
  return new Promise((resolve, reject) => {
    let wasContinued = false;
    const place = { host: '127.0.0.1', port: server.port, ca: server.ca, path };
    // Tests that lie about the host mean the header, not the certificate.
    const outgoing = request({ ...place, checkServerIdentity: () => undefined, ...rest });
    outgoing.on('continue', () => {
      wasContinued = true;
      outgoing.end(body);
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(parts).toString();
        const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? null;
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: text, code, wasContinued });
        outgoing.destroy();
      });
    });
    if (options.headers === undefined || !('expect' in options.headers)) outgoing.end(body);
    else outgoing.flushHeaders();
  });
}
