/** Requests as a client of the service makes them: from outside, over HTTP, with nothing but a URL. */

import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { createAgent, type RemoteSettings } from '../../blobs/remote/agent.ts';
import { connectionFailure } from '../../blobs/remote/errors.ts';
import { gatherAnswer } from '../../blobs/remote/gather.ts';

export interface Visit {
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'OPTIONS' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface VisitAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** Half-way between question and answer, by our clock. */
  readonly at: Date;
}

/** @throws {ForensicsError} `store_unavailable`, `store_refused`: no answer at all, and why. Every status is an answer. */
export type MakeVisit = (visit: Visit) => Promise<VisitAnswer>;

const timeouts = { connectMs: 5000, idleMs: 10_000 };
const totalMs = 20_000;
const maxAnswerBytes = 1024 * 1024;

/** No certificate is ever taken unseen, no address called that the guard forbids, no redirect followed. */
export function createVisitor(settings: Pick<RemoteSettings, 'ca' | 'guard'>): MakeVisit {
  return async ({ method, url, headers = {}, body }) => {
    const isSecure = url.startsWith('https:');
    const agent = createAgent(isSecure, { ...settings, timeouts });
    const signal = AbortSignal.timeout(totalMs);
    const askedMs = Date.now();
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const start = isSecure ? secureRequest : request;
        const length = body === undefined ? {} : { 'content-length': String(body.length) };
        start(url, { method, headers: { ...headers, ...length }, agent, signal }, resolve)
          .once('error', reject)
          .end(body);
      });
      const at = new Date((askedMs + Date.now()) / 2);
      const { statusCode: status = 0 } = answer;
      return {
        status,
        headers: answer.headers,
        body: await gatherAnswer(answer, null, maxAnswerBytes),
        at,
      };
    } catch (error) {
      throw connectionFailure(error);
    } finally {
      agent.destroy();
    }
  };
}
