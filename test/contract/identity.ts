/**
 * What every identity promises, wherever passwords are kept: the same tests for embedded accounts
 * and OpenID Connect. A suite, not a test file: each implementation's test file calls it.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Identity } from '../../src/service/access/principal.ts';
import type { TokenSet } from '../../src/contract/auth.ts';

export interface PersonUnderTest {
  readonly email: string;
  readonly name: string | null;
  readonly userType: string;
  readonly scopes: readonly string[];
  /** The only tenant that the person may act for. */
  readonly tenantId: string;
  readonly tenantName: string;
  /** Logs in locally or at the provider. Each call starts a new session. */
  readonly logIn: () => Promise<TokenSet>;
}

export interface IdentityUnderTest {
  readonly identity: Identity;
  /** Another installation or provider that knows the same people. */
  readonly foreign: Identity;
  readonly examiner: PersonUnderTest;
  readonly ben: PersonUnderTest;
  /** The examiner's tokens from `foreign`. */
  readonly foreignTokens: () => Promise<TokenSet>;
  /** Disables and enables an account, as an administrator does. */
  readonly disable: (userId: string) => Promise<void>;
  readonly enable: (userId: string) => Promise<void>;
  /** Advances the clock of both identities. */
  readonly step: (ms: number) => void;
  readonly close: () => Promise<void>;
}

const minuteMs = 60_000;
const refused = { code: 'unauthenticated' };

export function describeIdentity(name: string, open: () => Promise<IdentityUnderTest>): void {
  describe(name, () => {
    let opened: IdentityUnderTest;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    describeTokens(() => opened);
    describeEnds(() => opened);
  });
}

function describeTokens(opened: () => IdentityUnderTest): void {
  test('an access token identifies its owner and their rights', async () => {
    const { identity, examiner } = opened();

    const { accessToken, tokenType, expiresIn } = await examiner.logIn();
    const principal = await identity.authenticate(accessToken);

    expect(principal).toMatchObject({
      type: 'user',
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      userType: examiner.userType,
      tenantIds: [examiner.tenantId],
    });
    expect(principal.scopes).toEqual(expect.arrayContaining([...examiner.scopes]));
    expect([tokenType, expiresIn > 0]).toEqual(['Bearer', true]);
  });

  test('a person keeps one id across logins, and no two people share one', async () => {
    const { identity, examiner, ben } = opened();

    const [first, second, other] = await Promise.all(
      [examiner, examiner, ben].map(async (person) => {
        const { accessToken } = await person.logIn();
        return (await identity.authenticate(accessToken)).id;
      }),
    );

    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  test("info returns the account's current details", async () => {
    const { identity, examiner } = opened();
    const { accessToken } = await examiner.logIn();
    const principal = await identity.authenticate(accessToken);

    const info = await identity.info(principal);

    expect(info).toEqual({
      id: principal.id,
      email: examiner.email,
      name: examiner.name,
      userType: examiner.userType,
      scopes: principal.scopes,
      tenants: [examiner.tenantName],
      settings: { lang: 'en', tosAccepted: false },
    });
  });

  test('an id token verifies, and no token is accepted as another type', async () => {
    const { identity, examiner } = opened();
    const { accessToken, idToken, refreshToken } = await examiner.logIn();

    await identity.verify(idToken);

    await expect(identity.verify(accessToken)).rejects.toMatchObject(refused);
    await expect(identity.verify(refreshToken)).rejects.toMatchObject(refused);
    await expect(identity.authenticate(idToken)).rejects.toMatchObject(refused);
    await expect(identity.authenticate(refreshToken)).rejects.toMatchObject(refused);
    await expect(identity.refresh(accessToken)).rejects.toMatchObject(refused);
    await expect(identity.refresh(idToken)).rejects.toMatchObject(refused);
  });

  test('malformed and altered tokens are refused', async () => {
    const { identity, examiner } = opened();
    const { accessToken, idToken } = await examiner.logIn();
    const broken = ['', 'x', 'a.b.c', '..', `${accessToken}x`, 'ä'.repeat(40), 'x'.repeat(10_000)];

    const refusals = await Promise.all(
      [...broken, ...changed(accessToken), ...changed(idToken)].flatMap((token) =>
        [identity.authenticate(token), identity.verify(token)].map((answer) =>
          answer.catch((error: unknown) => error),
        ),
      ),
    );

    expect(refusals).toHaveLength(34);
    for (const refusal of refusals) expect(refusal).toMatchObject(refused);
  });

  test('tokens from another signer are refused', async () => {
    const { identity, foreign, foreignTokens } = opened();
    const { accessToken, idToken } = await foreignTokens();

    await foreign.authenticate(accessToken);

    await expect(identity.authenticate(accessToken)).rejects.toMatchObject(refused);
    await expect(identity.verify(idToken)).rejects.toMatchObject(refused);
  });
}

/** With no signature algorithm, another payload, another signature, and other spellings of the same token. */
function changed(token: string): string[] {
  const [head = '', body = '', signature = ''] = token.split('.');
  const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
  const payload: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
  const richer = { ...Object(payload), scope: 'settings everything' };
  const otherBody = Buffer.from(JSON.stringify(richer)).toString('base64url');
  const otherSignature = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
  return [
    `${unsigned}.${body}.`,
    `${head}.${otherBody}.${signature}`,
    `${head}.${body}.${otherSignature}`,
    `${token}==`,
    `${token}\n`,
  ];
}

function describeEnds(opened: () => IdentityUnderTest): void {
  test('a refresh gives the same person new tokens and uses up the old refresh token', async () => {
    const { identity, examiner } = opened();
    const first = await examiner.logIn();
    const { id } = await identity.authenticate(first.accessToken);

    const second = await identity.refresh(first.refreshToken);

    expect(await identity.authenticate(second.accessToken)).toMatchObject({ id });
    await identity.verify(second.idToken);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    await expect(identity.refresh(first.refreshToken)).rejects.toMatchObject(refused);
  });

  test('end ends the session of a refresh token and ignores an unknown one', async () => {
    const { identity, ben } = opened();
    const [here, there] = [await ben.logIn(), await ben.logIn()];

    await identity.end(here.refreshToken);
    await identity.end('unknown');

    await expect(identity.refresh(here.refreshToken)).rejects.toMatchObject(refused);
    await identity.refresh(there.refreshToken);
  });

  test("revoke ends one person's sessions on all devices until the next login, and no one else's", async () => {
    const { identity, examiner, ben, step } = opened();
    const [here, there, other] = await Promise.all([
      examiner.logIn(),
      examiner.logIn(),
      ben.logIn(),
    ]);

    await identity.revoke(here);

    for (const { accessToken, idToken, refreshToken } of [here, there]) {
      await expect(identity.authenticate(accessToken)).rejects.toMatchObject(refused);
      await expect(identity.verify(idToken)).rejects.toMatchObject(refused);
      await expect(identity.refresh(refreshToken)).rejects.toMatchObject(refused);
    }
    await identity.authenticate(other.accessToken);
    step(1000);
    await identity.authenticate((await examiner.logIn()).accessToken);
  });

  test('revoke requires both tokens of one person', async () => {
    const { identity, examiner, ben } = opened();
    const [examiners, bens] = await Promise.all([examiner.logIn(), ben.logIn()]);
    const { idToken, refreshToken, accessToken } = examiners;

    const answers = await Promise.all(
      [
        { idToken, refreshToken: bens.refreshToken },
        { idToken: bens.idToken, refreshToken },
        { idToken: accessToken, refreshToken },
        { idToken: '', refreshToken },
        { idToken, refreshToken: 'nothing' },
      ].map((tokens) => identity.revoke(tokens).catch((error: unknown) => error)),
    );

    for (const answer of answers) expect(answer).toMatchObject(refused);
    await identity.authenticate(examiners.accessToken);
    await identity.authenticate(bens.accessToken);
  });

  test('a disabled person is refused at once; old tokens stay invalid after re-enabling', async () => {
    const { identity, ben, disable, enable, step } = opened();
    const { accessToken, idToken } = await ben.logIn();
    const { id } = await identity.authenticate(accessToken);

    await disable(id!);

    await expect(identity.authenticate(accessToken)).rejects.toMatchObject(refused);
    await expect(identity.verify(idToken)).rejects.toMatchObject(refused);
    step(1000);
    await enable(id!);
    await expect(identity.authenticate(accessToken)).rejects.toMatchObject(refused);
    await identity.authenticate((await ben.logIn()).accessToken);
  });

  test('access and id tokens expire', async () => {
    const { identity, examiner, step } = opened();
    const { accessToken, idToken, expiresIn } = await examiner.logIn();

    step(expiresIn * 1000 + minuteMs);

    await expect(identity.authenticate(accessToken)).rejects.toMatchObject(refused);
    step(24 * 60 * minuteMs);
    await expect(identity.verify(idToken)).rejects.toMatchObject(refused);
  });
}
