/** A server with a real app in its own folder, called without a socket, or over HTTPS once it listens. */

import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Agent, request } from 'undici';
import { afterAll } from 'vitest';
import { newFolder } from '../../fixtures/folder.ts';
import { createPasswords } from '../../../src/service/access/embedded/passwords.ts';
import type { Tenant } from '../../../src/service/tenants/tenants.ts';
import type { User } from '../../../src/service/access/users.ts';
import { type App, openApp } from '../../../src/service/app.ts';
import { operator } from '../../../src/service/audit/entry.ts';
import { readConfig, type Sources } from '../../../src/contract/config.ts';
import type { Analysis } from '../../../src/contract/analysis.ts';
import type { TokenSet } from '../../../src/contract/auth.ts';
import { createDatabase } from '../../fixtures/postgres.ts';
import { createServer } from '../../../src/server/server.ts';
import { ensureLocalTls } from '../../../src/server/tls.ts';
import { migratedFile } from '../ports/db/temporary.ts';

export interface OpenServer {
  readonly app: App;
  readonly server: FastifyInstance;
  readonly dataDir: string;
  /** The lines of the server's log. */
  readonly log: string[];
  /** Creates a key that is valid for an hour. */
  makeKey(tenant: Pick<Tenant, 'id'>, name: string, lifeMs?: number): Promise<CreatedKey>;
  /** Creates a tenant with a key. */
  makeTenant(name: string, keyLifeMs?: number): Promise<{ tenant: Tenant; secret: string }>;
  /** Creates a user and logs in. */
  makeUser(name: string, rights?: Rights): Promise<{ user: User; tokens: TokenSet }>;
  /** Listens on a free port and returns a function that sends requests to it. */
  listen(): Promise<Ask>;
  close(): Promise<void>;
}

type CreatedKey = Awaited<ReturnType<App['core']['keys']['mint']>>;

interface Rights {
  readonly tenants?: readonly Tenant[];
  readonly scopes?: readonly string[];
}

/** The password of every user that `makeUser` creates. */
export const password = 'violet harbour 42 lanterns';

export interface Question {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Any other object is sent as JSON. */
  readonly body?: object | string | Buffer | Readable;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** The parsed body, typed as the test expects. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- shorter in a test than a check of each shape
  json<T = Record<string, unknown>>(): T;
  /** Its member `data`. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
  data<T>(): T;
}

export type Ask = (question: Question) => Promise<Answer>;

/** With `--mode postgres` each server has its own database. */
async function ownDatabase() {
  const server = process.env['FORENSICS_TEST_POSTGRES'];
  return server === undefined ? {} : { databaseUrl: await createDatabase(server) };
}

/** As a first start leaves it; empty if the database is elsewhere. */
async function newDataFolder(isEmpty: boolean): Promise<string> {
  const folder = newFolder();
  if (isEmpty) return folder;
  const ofOwner = { mode: 0o600 };
  writeFileSync(join(folder, 'master.key'), `${randomBytes(32).toString('hex')}\n`, ofOwner);
  writeFileSync(join(folder, 'forensics.db'), await migratedFile(), ofOwner);
  return folder;
}

export async function openServer(
  parts: {
    now?: () => Date;
    /** A folder with an existing installation; it is deleted with the server. */
    dataDir?: string;
    flags?: NonNullable<Sources['flags']>;
  } & Partial<Omit<Parameters<typeof createServer>[0], 'version' | 'logTarget'>> = {},
): Promise<OpenServer> {
  const { now = () => new Date() } = parts;
  const given = { workers: 1, ...(await ownDatabase()), ...parts.flags };
  const { dataDir = await newDataFolder('databaseUrl' in given) } = parts;
  const { settings } = readConfig({ flags: { dataDir, ...given }, environment: {} });
  const app = await openApp(settings, { now, passwords: createPasswords({ ln: 4 }) });
  const log: string[] = [];
  let agent: Agent | null = null;
  const server = await createServer({
    app,
    transport: await ensureLocalTls(dataDir, [], new Date()),
    version: '0.0.0',
    publicUrl: null,
    rateLimitPerMinute: 0,
    apiCorsAllowedOrigins: [],
    metrics: null,
    accountKey: null,
    intake: settings.intake,
    logLevel: 'info',
    logTarget: { write: (line) => void log.push(line) },
    ...parts,
  });
  const makeKey: OpenServer['makeKey'] = async ({ id: tenantId }, name, lifeMs = 3_600_000) => {
    const expiresAt = new Date(now().getTime() + lifeMs);
    return app.core.keys.mint({ tenantId, name, expiresAt, by: operator });
  };
  return {
    app,
    server,
    dataDir,
    log,
    makeKey,
    async makeTenant(name, keyLifeMs) {
      const tenant = await app.core.tenants.create({ name });
      return { tenant, secret: (await makeKey(tenant, 'test', keyLifeMs)).secret };
    },
    async makeUser(name, { tenants = [], scopes = [] } = {}) {
      const email = `${name}@example.org`;
      const tenantIds = tenants.map(({ id }) => id);
      const user = await app.core.users.create({ email, password, name, tenantIds, scopes });
      const tokens = await app.core.identity.login({ email, password, from: '192.0.2.1' });
      if (!('accessToken' in tokens)) throw new TypeError('Embedded accounts answer tokens.');
      return { user, tokens };
    },
    async listen() {
      const url = await server.listen({ host: '127.0.0.1', port: 0 });
      app.storage.setPublicUrl(new URL(url));
      agent = new Agent({ connect: { ca: readFileSync(join(dataDir, 'tls', 'ca.pem')) } });
      return asker(url.replace(/^http:/, 'https:'), agent);
    },
    async close() {
      await agent?.close();
      await server.close();
      await app.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** What most test files start with: a listening server and a tenant "acme" with a key. */
export interface Listening extends OpenServer {
  readonly tenant: Tenant;
  /** The Authorization header of the key. */
  readonly authorization: string;
  readonly ask: Ask;
  readonly askWithKey: Ask;
  /** Sends requests with this header about the tenant "acme", which is added to the body or else to the query. */
  as(authorization: string): Send;
  /** Creates an analysis with the key. */
  create(change?: object): Promise<Analysis>;
}

export type Send = (
  method: string,
  path: string,
  body?: object,
  headers?: Question['headers'],
) => Promise<Answer>;

export async function openListening(...parts: Parameters<typeof openServer>): Promise<Listening> {
  const open = await openServer(...parts);
  const ask = await open.listen();
  const { tenant, secret } = await open.makeTenant('acme');
  const authorization = `ApiKey ${secret}`;
  const askWithKey: Ask = (question) =>
    ask({ ...question, headers: { authorization, ...question.headers } });
  const as = (caller: string): Send => {
    return async (method, path, body, headers) => {
      const question = { method, headers: { authorization: caller, ...headers } };
      if (body !== undefined)
        return ask({ ...question, path, body: { tenantName: 'acme', ...body } });
      const separator = path.includes('?') ? '&' : '?';
      return ask({ ...question, path: `${path}${separator}tenantName=acme` });
    };
  };
  const create = async (change = {}) => {
    const made = await as(authorization)('POST', '/v1/analysis', { ...draft, ...change });
    return made.data<Analysis[]>()[0]!;
  };
  return { ...open, tenant, authorization, ask, askWithKey, as, create };
}

/** A server that the tests of a file share. */
export async function serverForFile(...parts: Parameters<typeof openServer>): Promise<OpenServer> {
  const open = await openServer(...parts);
  afterAll(() => open.close());
  return open;
}

export async function listeningForFile(
  ...parts: Parameters<typeof openServer>
): Promise<Listening> {
  const open = await openListening(...parts);
  afterAll(() => open.close());
  return open;
}

/** The body of a valid create request. */
export const draft = {
  tenantName: 'acme',
  name: 'A',
  type: 'image',
  input: { format: 'jpg', version: 'v1', width: 640, height: 480, filename: 'a.jpg', options: {} },
};

/** @param url - scheme, host and port. */
export function asker(url: string, dispatcher: Agent): Ask {
  return async ({ method, path, headers = {}, body }) => {
    const isJson =
      typeof body === 'object' && !Buffer.isBuffer(body) && !(body instanceof Readable);
    const answer = await request(`${url}${path}`, {
      dispatcher,
      method,
      headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers },
      body: isJson ? JSON.stringify(body) : (body ?? null),
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    const json = () => JSON.parse(bytes.toString('utf8'));
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: bytes,
      json,
      data: () => json().data,
    };
  };
}
