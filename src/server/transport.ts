/** HTTPS, or plain HTTP from a proxy on this machine that vouches for it. Also sets the protective headers. */

import * as http from 'node:http';
import * as https from 'node:https';
import type { Duplex } from 'node:stream';
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { forbidden, invalidRequest } from '../contract/errors.ts';
import { rawFailure } from './responses.ts';
import type { TlsMaterial } from './tls.ts';

/** `null` instead of a certificate means that the server is behind a proxy. */
export type Transport = TlsMaterial | null;

// 50 MB in ten minutes is 0.7 Mbit/s: slower than any line, but it stops callers who only hold a connection.
const requestTimeoutMs = 600_000;
const headersTimeoutMs = 30_000;
// How often Node.js checks its timeouts. Its default of 30 s would let a trickle of headers last a minute.
const connectionsCheckMs = 1000;
const keepAliveTimeoutMs = 72_000;

export function listenerFactory(
  transport: Transport,
): (handler: http.RequestListener) => http.Server {
  const options: http.ServerOptions = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: connectionsCheckMs,
    // We reject requests without a host ourselves, because Node.js's response is empty and has no request id.
    requireHostHeader: false,
    keepAliveTimeout: keepAliveTimeoutMs,
  };
  return (handler) => {
    const server =
      transport === null
        ? http.createServer(options, handler)
        : https.createServer({ ...options, ...tlsCredentials(transport) }, handler);
    // Node.js lets its HTTP parser read directly from the connection, and pauses it while a response is being written.
    // Data that TLS has decrypted by then still reaches the paused parser, which rejects the request as unreadable
    // (`HPE_PAUSED`). With a listener, the bytes come as a stream, which buffers them until the parser continues.
    server.on('secureConnection', (socket) => socket.on('data', () => undefined));
    // Without it, Node.js rejects unknown expectations with an empty response; RFC 9110, section 10.1.1 lets us ignore them.
    server.on('checkExpectation', handler);
    return server;
  };
}

/** Makes new connections use this certificate; open ones are unaffected. @throws when its two halves do not match. */
export function showCertificate(server: http.Server, material: TlsMaterial): void {
  if (server instanceof https.Server) server.setSecureContext(tlsCredentials(material));
}

/** TLS 1.3 suites, and those TLS 1.2 suites with forward secrecy and authenticated encryption; none with CBC. */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':');

function tlsCredentials({ cert, key }: TlsMaterial) {
  return { cert, key, minVersion: 'TLSv1.2', ciphers } as const;
}

export function guardHeaders(transport: Transport): Readonly<Record<string, string>> {
  // Browsers remember this for the host and all its ports: only right with the operator's own certificate.
  const isPublic = transport === null || transport.authority === null;
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    ...(isPublic ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}

export function guardTransport(server: FastifyInstance, transport: Transport): void {
  const guards = guardHeaders(transport);
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers({ 'x-request-id': request.id, ...guards });
    const hosts = request.raw.rawHeaders.filter(
      (name, at) => at % 2 === 0 && name.toLowerCase() === 'host',
    );
    // RFC 9112, section 3.2: with two hosts, a proxy may use one of them and this server the other.
    if (hosts.length !== 1 && (hosts.length > 1 || request.raw.httpVersion !== '1.0')) {
      throw invalidRequest('The request must have exactly one Host header.');
    }
    if (transport === null) assertHttpsOutside(request);
  });
}

/** By the start of a code of Node.js; the first that fits applies. */
const unreadable = [
  ['HPE_HEADER_OVERFLOW', 431, 'The request headers are too large.'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'The request did not arrive in time.'],
  ['HPE_', 400, 'This is not a valid HTTP request.'],
] as const;

export function answerUnreadable(
  { code = '' }: Error & { code?: string },
  socket: Duplex,
  headers: Readonly<Record<string, string>>,
): void {
  const found = unreadable.find(([begin]) => code.startsWith(begin));
  if (found === undefined || !socket.writable) return void socket.destroy();
  const [, status, message] = found;
  socket.end(rawFailure(invalidRequest(message), status, headers));
}

export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

function assertHttpsOutside(request: FastifyRequest): void {
  const isLocal = isLoopback(request.socket.remoteAddress ?? '');
  // Each proxy appends to the header; the one closest to us wrote the last entry.
  const protocols = String(request.headers['x-forwarded-proto'] ?? '').split(',');
  if (isLocal && protocols.at(-1)?.trim().toLowerCase() === 'https') return;
  throw forbidden(
    "Only HTTPS connections are accepted; a proxy on the server's machine must send X-Forwarded-Proto: https.",
  );
}

// Which other origins' pages may call the API: none, unless the operator lists them. Objects have their own rules.

const exposedHeaders =
  'x-request-id, x-error-code, x-total-count, x-one-camera-count, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset';
/** How long, in seconds, a browser may cache the response to its preflight request. */
const maxAge = 3600;

export async function allowOrigins(server: FastifyInstance, origins: readonly string[]) {
  if (origins.length === 0) return;
  // The package answers OPTIONS on its own route; requests other than preflights go on to the response with `Allow`.
  server.addHook('onRoute', (route) => {
    if (route.method === 'OPTIONS' && route.url === '*') route.config = { access: 'everyone' };
  });
  const rules = {
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'idempotency-key'],
    exposedHeaders,
    maxAge,
    // Keys and tokens travel in a header that the page sets; cookies are never requested.
    credentials: false,
  };
  await server.register(cors, {
    delegator: (request, callback) =>
      callback(null, { ...rules, origin: isCrossOrigin(request) ? [...origins] : false }),
  });
}

function isCrossOrigin({ headers, method, routeOptions }: FastifyRequest): boolean {
  if (routeOptions.config.access === 'urlSignature') return false;
  const isPreflight = headers['access-control-request-method'] !== undefined;
  return headers.origin !== undefined && (method !== 'OPTIONS' || isPreflight);
}
