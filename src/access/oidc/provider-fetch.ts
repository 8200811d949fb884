/** Calls to the identity provider: bounded in time and size, no redirect followed. */

import { Agent, request } from 'undici';

interface ProviderRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A form is sent, as every call of OAuth 2.0 has one; nothing else is. */
  readonly body?: unknown;
}

type ProviderFetch = (url: string, init: ProviderRequest) => Promise<Response>;

/** For a whole call. */
export const timeoutSeconds = 5;
// A hundred keys are a tenth of it.
const maxAnswerBytes = 1024 * 1024;

/** @param ca - PEM of the only authorities to trust; null for those that the system knows. */
export function createProviderFetch({ ca }: { readonly ca: string | null }): ProviderFetch {
  const agent = new Agent({
    connect: ca === null ? {} : { ca },
    maxResponseSize: maxAnswerBytes,
  });
  return async (url, { method = 'GET', headers = {}, body }) => {
    const answer = await request(url, {
      dispatcher: agent,
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      body: body instanceof URLSearchParams ? body.toString() : null,
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
    });
    const text = await answer.body.text();
    // A Response of these statuses refuses any body (Fetch, "null body status").
    const isBodiless = [204, 205, 304].includes(answer.statusCode);
    const type = String(answer.headers['content-type'] ?? '');
    return new Response(isBodiless ? null : text, {
      status: answer.statusCode,
      // The only one that is read behind this: OAuth tells its errors in the body.
      headers: { 'content-type': type },
    });
  };
}
