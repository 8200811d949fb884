/** Serves the built files of the console, read once. The page is an ordinary client of `/v1`. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { unknownAddress } from './responses.ts';
import type { App } from '../service/app.ts';
import type { Transport } from './transport.ts';

// Works from both `src/server` and `dist/server`.
const built = fileURLToPath(new URL('../../dist/console/', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface Page {
  readonly type: string;
  readonly bytes: Buffer;
  /** Compressed on first request: few servers show every page, and the start need not wait for it. */
  gzipped: Promise<Buffer> | null;
  readonly etag: string;
}

interface ConsoleParts {
  readonly app: Pick<App, 'storage'>;
  readonly transport: Transport;
  /** The address with which the embedded store's presigned URLs begin. */
  readonly publicUrl: string | null;
}

export async function consoleRoutes(
  server: FastifyInstance,
  { app, transport, publicUrl }: ConsoleParts,
) {
  const pages = readPages();
  const open = { config: { access: 'everyone' as const }, schema: { hide: true } };
  const own = publicUrl === null ? [] : [new URL(publicUrl).origin];

  server.get('/', open, async (request, reply) => {
    const index = pages.get('index.html');
    if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) throw unknownAddress();
    if (index === undefined) {
      void reply.type('text/plain; charset=utf-8');
      return reply.send('The console is not built; run npm run build.\n');
    }
    const policy = policyFor(own, await app.storage.hasRemote());
    void reply.header('content-security-policy', policy).header('cache-control', 'no-cache');
    return send(request, reply, index);
  });

  server.get<{ Params: { file: string } }>('/console/:file', open, async (request, reply) => {
    const page = pages.get(request.params.file);
    if (page === undefined) throw unknownAddress();
    // The build names each file after its contents.
    void reply.header('cache-control', 'public, max-age=31536000, immutable');
    return send(request, reply, page);
  });

  server.get('/ca.pem', open, async (_request, reply) => {
    const path = transport?.authority?.path;
    if (path === undefined) throw unknownAddress();
    void reply.header('content-disposition', 'attachment; filename="forensics-ca.pem"');
    return reply.type('application/x-x509-ca-cert').send(readFileSync(path));
  });
}

/**
 * Allows nothing inline or from other sites, except that pictures are sent to and loaded from the store. Before login
 * the store is unknown, and a list of all stores would reveal them, so any HTTPS address is allowed until then.
 */
function policyFor(own: readonly string[], hasRemoteStores: boolean): string {
  const stores = ["'self'", ...own, ...(hasRemoteStores ? ['https:'] : [])].join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${stores} blob:`,
    `connect-src ${stores} blob:`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function readPages(): ReadonlyMap<string, Page> {
  if (!existsSync(built)) return new Map();
  const names = readdirSync(built).filter((name) => types[extname(name)] !== undefined);
  return new Map(
    names.map((name) => {
      const bytes = readFileSync(join(built, name));
      const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
      return [name, { type: types[extname(name)]!, bytes, gzipped: null, etag }];
    }),
  );
}

async function send(request: FastifyRequest, reply: FastifyReply, page: Page) {
  void reply.headers({ etag: page.etag, vary: 'accept-encoding' });
  if (request.headers['if-none-match'] === page.etag) return reply.code(304).send();
  void reply.type(page.type);
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(page.bytes);
  page.gzipped ??= promisify(gzip)(page.bytes, { level: 9 });
  return reply.header('content-encoding', 'gzip').send(await page.gzipped);
}
