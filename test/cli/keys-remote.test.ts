import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readApiKey, saveApiKey, saveProfile } from '../../src/cli/connection/server.ts';
import type { KeyEntry } from '../../src/contract/keys.ts';
import type { Rotated } from '../../src/service/access/keys.ts';
import { ForensicsError } from '../../src/contract/errors.ts';
import { type OpenServer, openServer } from '../unit/server/open-server.ts';
import { caOf, onServer, urlOf } from './on-server.ts';
import { emptyFolder, refused, runHere } from './run-cli.ts';

let open: OpenServer;
let home: string;
const of = ['--tenant', 'acme'];

beforeAll(async () => {
  open = await openServer();
  await open.listen();
  const { secret } = await open.makeTenant('acme', 86_400_000);
  vi.stubEnv('FORENSICS_API_KEY', secret);
});
beforeEach(async () => {
  home = await emptyFolder();
  vi.stubEnv('XDG_CONFIG_HOME', home);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await open.close();
});

const keys = async (...args: string[]) => runHere(['keys', ...args, ...onServer(open)]);
const made = async (name: string): Promise<KeyEntry> =>
  JSON.parse((await keys('create', ...of, '--name', name, '--json')).stdout);
const namesOf = async (name: string): Promise<KeyEntry[]> => {
  const all: KeyEntry[] = JSON.parse((await keys('list', ...of, '--json')).stdout);
  return all.filter((key) => key.name === name);
};

/** The status that the server answers to this key. */
const statusWith = async (secret: string): Promise<number> => {
  const headers = { authorization: `ApiKey ${secret}` };
  const url = '/v1/auth/api?tenantName=acme';
  return (await open.server.inject({ method: 'GET', url, headers })).statusCode;
};

/** As if one of several servers behind the address used a different database. */
function refuseNewKeys() {
  const { keys: ofServer } = open.app.core;
  const authenticate = ofServer.authenticate.bind(ofServer);
  return vi.spyOn(ofServer, 'authenticate').mockImplementation(async (secret) => {
    if (secret === process.env['FORENSICS_API_KEY']) return authenticate(secret);
    throw new ForensicsError('unauthenticated', 'The API key is wrong.');
  });
}

test('keys on a server are listed with a profile, which also supplies the tenant', async () => {
  const ca = readFileSync(caOf(open), 'utf8');
  saveProfile({ name: 'lab', url: urlOf(open), ca, tenant: 'acme' });

  const listed = await runHere(['keys', 'list', '--profile', 'lab', '--json']);
  const unnamed = await keys('list', '--json');

  expect(listed.code).toBe(0);
  expect(unnamed).toEqual(refused(2, '--tenant'));
});

describe('a rotation on a server', () => {
  test('with --now after a leak verifies the new key and revokes the old one', async () => {
    const old = await made('itself');
    const file = join(home, 'old.key');
    writeFileSync(file, old.secret, { mode: 0o600 });
    const who = ['--name', 'itself', '--api-key-file', file];

    const ran = await keys('rotate', ...of, ...who, '--now', '--json');

    const { key, replaced }: Rotated = JSON.parse(ran.stdout);
    expect([ran.code, replaced.uuid, replaced.ended]).toEqual([0, old.uuid, 'replaced']);
    expect([await statusWith(old.secret), await statusWith(key.secret)]).toEqual([403, 200]);
    expect((await namesOf('itself')).map(({ uuid }) => uuid)).toEqual([key.uuid]);
  });

  test.each([
    [['--now'], 'with its old expiry'],
    [['--grace', '2h'], 'for its grace period'],
  ])('whose new key does not work (%j) revokes it; the old key stays valid %s', async (how) => {
    const name = `unproven ${how[0]}`;
    const old = await made(name);
    const out = join(home, 'new.key');
    const spy = refuseNewKeys();

    const ran = await keys('rotate', ...of, '--name', name, ...how, '--out', out);

    spy.mockRestore();
    expect(ran.code).toBe(3);
    expect(ran.stderr).toMatch(/cannot be used: .* The new key has been revoked\. The old key/);
    expect([await statusWith(old.secret), existsSync(out)]).toEqual([200, false]);
    const left = await namesOf(name);
    expect(left.map(({ uuid }) => uuid)).toEqual([old.uuid]);
    if (how[0] === '--now') expect(left[0]?.expiresAt).toBe(old.expiresAt);
    // It can still be rotated by name.
    expect((await keys('rotate', ...of, '--name', name)).code).toBe(0);
  });

  test('names a new key that does not work and cannot be revoked, but not its secret', async () => {
    await made('stuck');
    const full = new ForensicsError('no_space_left', 'There is no space left.');
    const spies = [refuseNewKeys(), vi.spyOn(open.app.core.keys, 'revoke').mockRejectedValue(full)];

    const ran = await keys('rotate', ...of, '--name', 'stuck');

    for (const spy of spies) spy.mockRestore();
    const { uuid } = (await namesOf('stuck')).find((key) => key.ended === null)!;
    expect(ran).toEqual(refused(3, `The new key (${uuid}) could not be revoked either`));
    expect(ran.stderr).not.toContain('sk-');
  });

  test("of a profile's own key saves the new key in the profile", async () => {
    const old = await made('kept');
    saveProfile({ name: 'ci', url: urlOf(open), ca: readFileSync(caOf(open), 'utf8') });
    saveApiKey('ci', old.secret);
    const rotate = ['keys', 'rotate', ...of, '--now', '--json', '--profile', 'ci', '--name'];
    await made('other');

    const first = await runHere([...rotate, 'kept']);
    const other = await runHere([...rotate, 'other']);

    const { key }: Rotated = JSON.parse(first.stdout);
    expect([first.code, other.code]).toEqual([0, 0]);
    expect(first.stderr).toContain('The profile "ci" has the new key.');
    expect(other.stderr).not.toContain('has the new key');
    expect(readApiKey('ci')).toBe(key.secret);
  });
});
