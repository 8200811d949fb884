/** Requests to `/v1`. One tab refreshes at a time: the refresh token, in a cookie, works only once. */

import type { BrowserTokens, LoginElsewhere, SessionState, UserInfo } from '../../contract/auth.ts';

/** The server refused the request or did not respond (`status` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly retryAfterMs: number | null;

  constructor(status: number, code: string, message: string, retryAfterMs: number | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status === 503;
  }
}

export interface Ask {
  /** If absent, a request with a body is sent with POST. */
  readonly method?: 'POST' | 'PUT' | 'DELETE';
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object | Blob;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal | undefined;
  /** The request outlives the page. */
  readonly keepalive?: boolean;
}

const sessionPath = '/v1/auth/session';
let tokens: (BrowserTokens & { readonly until: number }) | null = null;
let onEnd: () => void = () => undefined;

/** Called when the session has ended and the user must log in again. */
export function whenSessionEnds(listener: () => void): void {
  onEnd = listener;
}

export async function ask<T>(path: string, question: Ask = {}): Promise<T> {
  return (await askWhole<T>(path, question)).data;
}

/** The data, and the headers, which contain the total count of a list. @throws {ApiError} */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- shorter than a check of each shape
export async function askWhole<T>(path: string, question: Ask) {
  const answer = await fetchWithSession(path, question);
  const { data }: { readonly data: T } = await answer.json();
  return { data, headers: answer.headers };
}

export async function askBytes(path: string, question: Ask = {}): Promise<Blob> {
  return (await fetchWithSession(path, question)).blob();
}

async function fetchWithSession(path: string, question: Ask): Promise<Response> {
  if (tokens === null || Date.now() > tokens.until) await refresh();
  const sent = tokens;
  const answer = await send(path, question, sent?.accessToken ?? null);
  if (answer.status !== 401) return checked(answer);
  if (tokens === sent) await refresh();
  return checked(await send(path, question, tokens?.accessToken ?? null));
}

async function send(path: string, question: Ask, accessToken: string | null): Promise<Response> {
  const { query = {}, body, idempotencyKey, signal, keepalive = false } = question;
  const { method = body === undefined ? 'GET' : 'POST' } = question;
  const url = new URL(path, location.origin);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
  }
  const type = body instanceof Blob ? 'application/zip' : 'application/json';
  try {
    return await fetch(url, {
      method,
      keepalive,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': type }),
        ...(accessToken === null ? {} : { authorization: `Bearer ${accessToken}` }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
      signal: signal ?? null,
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ApiError(0, 'unreachable', '');
  }
}

async function checked(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  const code = answer.headers.get('x-error-code') ?? 'internal';
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
  const told: unknown = await answer.json().catch(() => null);
  const message =
    typeof told === 'object' && told !== null && 'message' in told ? String(told.message) : '';
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : null;
  throw new ApiError(answer.status, code, message, retryAfterMs);
}

/** @throws {ApiError} if there is no session or no response. */
async function refresh(): Promise<void> {
  const before = tokens;
  await alone(async () => {
    // Another request of this page has already refreshed the session.
    if (tokens !== before) return;
    try {
      await takeTokens('/refresh', {});
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        tokens = null;
        if (before !== null) onEnd();
      }
      throw error;
    }
  });
}

/** Runs one at a time across all tabs. Browsers offer locks only over HTTPS; without locks, tabs cannot coordinate. */
async function alone(work: () => Promise<void>): Promise<void> {
  await navigator.locks.request('forensics-session', work);
}

async function takeTokens(act: string, body: object): Promise<void> {
  const path = `${sessionPath}${act}`;
  const data = await askOpenly<BrowserTokens>(path, { body, keepalive: true });
  // If a refresh gives no id token, the one from the login stays valid.
  const idToken =
    data.idToken === '' && act === '/refresh' ? (tokens?.idToken ?? '') : data.idToken;
  // Expires a little early here, so that the token does not expire in transit.
  tokens = { ...data, idToken, until: Date.now() + Math.max(0, data.expiresIn - 20) * 1000 };
}

export function sessionState(): Promise<SessionState> {
  return askOpenly(sessionPath, {});
}

async function askOpenly<T>(path: string, question: Ask): Promise<T> {
  const answer = await checked(await send(path, question, null));
  const { data }: { readonly data: T } = await answer.json();
  return data;
}

/** Resumes the session in the cookie; null if there is none. @throws {ApiError} if the server does not respond. */
export async function resume(): Promise<UserInfo | null> {
  try {
    return await whoAmI();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** @param credentials - email and password, or what the identity provider sent back. @throws {ApiError} */
export async function logIn(credentials: object): Promise<UserInfo> {
  await alone(() => takeTokens('', credentials));
  return whoAmI();
}

export async function makeFirstUser(account: object): Promise<void> {
  const made = checked(await send(`${sessionPath}/first-user`, { body: account }, null));
  await made.catch((error: unknown) => {
    // The link is refused, not the password: only the one that the server printed last is valid.
    const isLink = error instanceof ApiError && error.status === 401;
    throw isLink ? new ApiError(401, 'link_invalid', error.message) : error;
  });
}

/** @param isEverywhere - whether to log out on all devices. @throws {ApiError} if possibly no session has ended. */
export async function logOut(isEverywhere: boolean): Promise<void> {
  // An id token expires before its session does.
  if (isEverywhere) await refresh();
  const idToken = tokens?.idToken ?? '';
  // After this page is reloaded, there is no ID token if the provider does not issue one on refresh.
  if (isEverywhere && idToken === '') throw new ApiError(400, 'not_offered', '');
  const body = isEverywhere ? { idToken } : {};
  await alone(async () => {
    await checked(await send(`${sessionPath}/end`, { body }, null));
    tokens = null;
  });
}

function whoAmI(): Promise<UserInfo> {
  return ask('/v1/auth/info', { method: 'POST' });
}

const attempts = 12;
const firstPauseMs = 500;
const longestPauseMs = 10_000;

/** Repeats a request while the server is unreachable, for about a minute and a half; a restart takes seconds. */
export async function persistently<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      const isTemporary = error instanceof ApiError && error.isTemporary;
      if (signal.aborted || !isTemporary || attempt >= attempts) throw error;
      const pause = Math.min(firstPauseMs * 2 ** (attempt - 1), longestPauseMs);
      const ms = error.retryAfterMs ?? pause * (0.75 + Math.random() / 2);
      await new Promise<unknown>((resolve) => {
        setTimeout(resolve, ms);
        signal.addEventListener('abort', resolve);
      });
    }
  }
}

// Login with an identity provider: leaves with a challenge, returns with a code (RFC 6749, section 4.1; RFC 7636).

const storageKey = 'forensics-login';

/** @param mustIdentify - asks for a login even if the provider still has a session, which may have been ended here. */
export async function goElsewhere(place: LoginElsewhere, mustIdentify: boolean): Promise<void> {
  const state = randomText();
  const codeVerifier = randomText();
  const journey: Journey = { state, codeVerifier, hash: location.hash };
  sessionStorage.setItem(storageKey, JSON.stringify(journey));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier));
  const url = new URL(place.authorizationEndpoint);
  const parameters = {
    response_type: 'code',
    client_id: place.clientId,
    redirect_uri: redirectUri(),
    scope: 'openid profile email settings offline_access',
    prompt: 'consent',
    ...(mustIdentify ? { max_age: '0' } : {}),
    state,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url);
}

/** What the provider sent back; null if the browser did not come from it, `refused` if this page did not start the login. */
export function takeReturn() {
  const query = new URLSearchParams(location.search);
  if (!query.has('state') || !(query.has('code') || query.has('error'))) return null;
  const known: Journey | null = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null');
  sessionStorage.removeItem(storageKey);
  history.replaceState(null, '', `/${known?.hash ?? ''}`);
  // Browsers fire no event for this change, but the requested page must be shown.
  dispatchEvent(new Event('hashchange'));
  const code = query.get('code');
  if (known === null || code === null || query.get('state') !== known.state) return 'refused';
  return { code, codeVerifier: known.codeVerifier, redirectUri: redirectUri() };
}

type Journey = Readonly<Record<'state' | 'codeVerifier' | 'hash', string>>;

function redirectUri(): string {
  return `${location.origin}/`;
}

function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
