/** Callers in the contract test: a tenant with data to ask about, and outsiders who must not see it. */

import { newSecret } from '../../../src/service/access/principal.ts';
import { sceneJpeg, scenePng } from '../../fixtures/pictures.ts';
import type { Ask, OpenServer } from '../../unit/server/open-server.ts';
import type { Known } from './values.ts';

export const strangers = ['nobody', 'garbage', 'unknown', 'foreign'] as const;
export type Stranger = (typeof strangers)[number];

export interface Stage {
  /** Authorization headers of authorised callers, by security scheme. */
  readonly own: Readonly<Record<string, string>>;
  /** Those of outsiders; undefined sends none. */
  readonly foreign: Readonly<Record<Stranger, string | undefined>>;
  /** Values that replace words in double angle quotes. */
  readonly words: Readonly<Record<string, string>>;
}

/** Meaningful values by member name; quoted words are replaced with values of the stage. */
export const known: Known = {
  tenantName: ['«tenantName»'],
  id: ['«id»', '«good»', '«truncated»', '«empty»', '«wrongFormat»', '«refused»'],
  uuid: ['«uuid»'],
  email: ['«email»'],
  password: ['«password»'],
  currentPassword: ['«password»'],
  newPassword: ['walnut harbour ribbon quartz'],
  idToken: ['«idToken»'],
  refreshToken: ['«refreshToken»'],
  expiresAt: ['«expiresAt»'],
  webhookUrl: ['https://receiver.example/hook', null],
  lang: ['de', 'en-GB'],
  model: ['trace-3'],
  // Nothing listens there, so an error comes at once and without a DNS lookup.
  endpoint: ['127.0.0.1'],
  port: [1],
  connectionString: [
    'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=YQ==;BlobEndpoint=https://127.0.0.1:1/a',
  ],
};

/** Replaces quoted words in the text with values of the stage. */
export function onStage(text: string, { words }: Stage): string {
  return text.replace(/«(\w+)»/g, (quoted, name: string) => words[name] ?? quoted);
}

const password = 'tulip orbit lantern gravel';
const yearMs = 365 * 24 * 3600 * 1000;
// Kept as one word in the output of a failing test; longer than the largest body allowed.
const large = 'x'.repeat(1_100_000);
let count = 0;

/**
 * A fresh tenant, a user with every scope, and their identifiers.
 *
 * @param uploads - uploads a picture, which is slow; null if no operation reads one.
 * @param other - another tenant, whose key must not work here.
 */
export async function setStage(
  open: OpenServer,
  uploads: Ask | null,
  other: { secret: string },
): Promise<Stage> {
  count += 1;
  const { app } = open;
  const name = `tenant-${count}`;
  const email = `person-${count}@example.org`;
  const { tenant, secret } = await open.makeTenant(name, yearMs);
  const user = { email, password, scopes: ['settings'], tenantIds: [tenant.id] };
  await app.core.users.create(user);
  const tokens = await app.core.identity.login({ email, password, from: '192.0.2.1' });
  if (!('accessToken' in tokens)) throw new Error('The embedded identity logs in itself.');
  const { uuid } = await open.makeKey(tenant, 'spare', yearMs);
  const authorization = `ApiKey ${secret}`;
  const ids = await makeAnalyses(open, { tenantName: name, authorization, uploads });
  return {
    own: { apiKey: authorization, userToken: `Bearer ${tokens.accessToken}` },
    foreign: {
      nobody: undefined,
      garbage: 'Bearer a.b.c',
      unknown: `ApiKey ${newSecret(tenant.keyTag)}`,
      foreign: `ApiKey ${other.secret}`,
    },
    words: {
      tenantName: name,
      ...ids,
      uuid,
      email,
      password,
      idToken: tokens.idToken,
      refreshToken: tokens.refreshToken,
      expiresAt: new Date(Date.now() + yearMs).toISOString(),
      large,
    },
  };
}

const size = { width: 96, height: 80 };
const picture = await sceneJpeg({ ...size, seed: 1 });
const otherFormat = await scenePng({ ...size, seed: 1 });
const draft = {
  name: 'A',
  type: 'image',
  input: { format: 'jpg', version: 'v1', ...size, filename: 'a.jpg', options: {} },
};

interface Created {
  readonly data: readonly {
    readonly id: string;
    readonly input: { readonly storageUrls: { readonly putUrl: string } };
  }[];
}

interface Maker {
  readonly tenantName: string;
  readonly authorization: string;
  readonly uploads: Ask | null;
}

/** Analyses by the words for their ids, created and uploaded as clients do; all the same one if nothing is uploaded. */
async function makeAnalyses({ server }: OpenServer, { tenantName, authorization, uploads }: Maker) {
  const post = (url: string, payload: object) =>
    server.inject({ method: 'POST', url, headers: { authorization }, payload });

  const id = await create(null);
  return {
    id,
    good: await create(picture),
    truncated: await create(picture.subarray(0, 100)),
    empty: await create(Buffer.alloc(0)),
    wrongFormat: await create(otherFormat),
    refused: await createRefused(),
  };

  async function create(bytes: Buffer | null): Promise<string> {
    if (bytes !== null && uploads === null) return id;
    const made = await post('/v1/analysis', { tenantName, ...draft });
    const [analysis] = made.json<Created>().data;
    if (analysis === undefined) throw new Error('An analysis that was made is answered.');
    if (bytes !== null) await uploads?.(uploadOf(analysis.input.storageUrls.putUrl, bytes));
    return analysis.id;
  }

  /** Failed, because its upload is no picture; a retry examines it again. */
  async function createRefused(): Promise<string> {
    const refused = await create(Buffer.from('no picture'));
    if (uploads !== null) await post('/v1/analysis/start', { tenantName, id: refused });
    return refused;
  }
}

function uploadOf(putUrl: string, body: Buffer) {
  const { pathname, search } = new URL(putUrl);
  return { method: 'PUT', path: pathname + search, body };
}
