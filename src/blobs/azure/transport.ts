/**
 * Takes the requests of the client library to the store. The library's own transport reads every answer but an object
 * whole and parses it in one go, so that ten megabytes of XML stop the process for seconds.
 */

import { type Agent, type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type {
  HttpHeaders,
  HttpOperationResponse,
  IHttpClient,
  WebResource,
} from '@azure/storage-blob';
import { beginningOf, gather } from '../remote/gather.ts';

/** The longest answer that is parsed: the properties of an account. Azure takes 2 KiB of CORS rules in all. */
const maxTextBytes = 16_384;

export function createTransport(agent: Agent): IHttpClient {
  return {
    async sendRequest(asked): Promise<HttpOperationResponse> {
      const answer = await send(asked, agent);
      const { statusCode: status = 0 } = answer;
      const facts = { request: asked, status, headers: headersOf(answer, asked) };
      if (asked.streamResponseStatusCodes?.has(status) === true) {
        return { ...facts, readableStreamBody: answer };
      }
      if (status >= 200 && status < 300) {
        return { ...facts, bodyAsText: (await gather(answer, maxTextBytes)).toString() };
      }
      // What a refusal means stands in its headers. It is read so that the connection can be used again.
      await beginningOf(answer, maxTextBytes);
      return facts;
    },
  };
}

function send(asked: WebResource, agent: Agent): Promise<IncomingMessage> {
  const { url, method, abortSignal } = asked;
  const start = url.startsWith('https:') ? secureRequest : request;
  const headers = asked.headers.toJson({ preserveCase: true });
  const signal = abortSignal instanceof AbortSignal ? { signal: abortSignal } : {};
  return new Promise((resolve, reject) => {
    start(url, { method, headers, agent, ...signal }, resolve)
      .once('error', reject)
      .end(bodyOf(asked));
  });
}

function bodyOf({ body }: WebResource): Uint8Array | string | undefined {
  const value: unknown = typeof body === 'function' ? body() : body;
  if (value === undefined || typeof value === 'string' || value instanceof Uint8Array) return value;
  throw new TypeError('Only texts and bytes are sent to Azure.');
}

function headersOf(answer: IncomingMessage, asked: WebResource): HttpHeaders {
  // The library keeps the constructor to itself.
  const headers = asked.headers.clone();
  for (const name of headers.headerNames()) headers.remove(name);
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
  return headers;
}
