/** Login with an identity provider: leaves with a challenge, returns with a code (RFC 6749, section 4.1; RFC 7636). */

import type { LoginElsewhere } from '../../contract/auth.ts';

const storageKey = 'forensics-login';

/**
 * Sends the browser to the provider. What the page must know on return is stored in this tab.
 *
 * @param mustIdentify - asks for a login even if the provider still has a session, which may have been ended here.
 */
export async function goElsewhere(
  { authorizationEndpoint, clientId }: LoginElsewhere,
  mustIdentify: boolean,
): Promise<void> {
  const state = randomText();
  const codeVerifier = randomText();
  const hash = location.hash;
  sessionStorage.setItem(storageKey, JSON.stringify({ state, codeVerifier, hash }));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier));
  const url = new URL(authorizationEndpoint);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
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
  const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null');
  sessionStorage.removeItem(storageKey);
  const known = isJourney(stored) ? stored : null;
  history.replaceState(null, '', `/${known?.hash ?? ''}`);
  // Browsers fire no event for this change, but the requested page must be shown.
  dispatchEvent(new Event('hashchange'));
  const code = query.get('code');
  if (known === null || code === null || query.get('state') !== known.state) return 'refused';
  return { code, codeVerifier: known.codeVerifier, redirectUri: redirectUri() };
}

interface Journey {
  readonly state: string;
  readonly codeVerifier: string;
  readonly hash: string;
}

function isJourney(value: unknown): value is Journey {
  return typeof value === 'object' && value !== null && 'codeVerifier' in value;
}

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
