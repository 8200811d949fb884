import type { IncomingMessage, ServerResponse } from 'node:http';
import { S3Error } from './errors.ts';

interface Cors {
  /** Lets pages of allowed origins read the answer, errors included. */
  decorate(request: IncomingMessage, response: ServerResponse): void;
  /** @throws {S3Error} `AccessForbidden` for an origin or method that is not allowed. */
  preflight(request: IncomingMessage, response: ServerResponse): void;
}

const methods = ['GET', 'HEAD', 'PUT', 'DELETE'];
const exposed = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Length',
  'Content-Range',
  'ETag',
  'Last-Modified',
  'x-amz-request-id',
];
/** Seconds for which a browser may keep the answer. */
const maxAge = 3000;

/** @param origins - As in an S3 bucket's CORS rules: `*`, an origin, or an origin with one `*` in it. */
export function createCors(origins: readonly string[]): Cors {
  const isAllowed = (origin: string) => origins.some((pattern) => matches(pattern, origin));

  function decorate(request: IncomingMessage, response: ServerResponse): void {
    response.setHeader('Vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !isAllowed(origin)) return;
    // No credentials flag: the signature is all that counts, cookies are never requested.
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', exposed.join(', '));
  }

  function preflight(request: IncomingMessage, response: ServerResponse): void {
    const { origin } = request.headers;
    const method = request.headers['access-control-request-method'];
    if (origin === undefined || method === undefined) {
      throw new S3Error(
        'InvalidRequest',
        'A preflight request must name its origin and its method.',
      );
    }
    if (!isAllowed(origin) || !methods.includes(method)) throw new S3Error('AccessForbidden');
    const wanted = request.headers['access-control-request-headers'];
    response.setHeader(
      'Vary',
      'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    );
    response.setHeader('Access-Control-Allow-Methods', methods.join(', '));
    if (wanted !== undefined) response.setHeader('Access-Control-Allow-Headers', wanted);
    response.setHeader('Access-Control-Max-Age', maxAge);
    response.statusCode = 204;
    response.end();
  }

  return { decorate, preflight };
}

function matches(pattern: string, origin: string): boolean {
  const [head, tail, ...more] = pattern.split('*');
  if (head === undefined || tail === undefined || more.length > 0) return pattern === origin;
  const fits = origin.length >= head.length + tail.length;
  return fits && origin.startsWith(head) && origin.endsWith(tail);
}
