/** What `serve` says when it is ready. */

import type { FirstRun } from '../../app/first-run.ts';
import type { TlsMaterial } from '../../server/tls.ts';
import { shellWord } from '../shell-word.ts';

export interface Ready {
  readonly url: string;
  /** Where the server listens itself; differs from `url` behind a proxy. */
  readonly localUrl: string;
  readonly authority: TlsMaterial['authority'];
  readonly isBehindProxy: boolean;
  readonly firstRun: FirstRun | null;
}

/** For programs: one line, the same fields on every run. */
export function readyJson({ url, authority, firstRun }: Ready): string {
  return JSON.stringify({
    url,
    caPath: authority?.path ?? null,
    caFingerprint256: authority?.fingerprint256 ?? null,
    tenantName: firstRun?.tenant.name ?? null,
    apiKey: firstRun?.key.secret ?? null,
  });
}

/** For people, on the first run: everything they need, and a line to try it with. */
export function welcome(ready: Ready): string | null {
  const { url, authority, firstRun } = ready;
  if (firstRun === null) return null;
  const facts: (readonly [string, string])[] = [
    ['URL', url],
    ...(authority === null
      ? []
      : ([
          ['CA certificate', authority.path],
          ['SHA-256', authority.fingerprint256],
        ] as const)),
    ['Tenant', firstRun.tenant.name],
    ['API key', `${firstRun.key.secret}   (shown only now; valid until ${firstRun.key.expiresAt})`],
  ];
  const lines = facts.map(([name, value]) => `  ${`${name}:`.padEnd(16)}${value}`);
  return [
    'forensics is ready.',
    '',
    ...lines,
    '',
    'Try it:',
    '',
    curlLine(ready, firstRun),
    '',
  ].join('\n');
}

function curlLine(ready: Ready, { tenant, key }: FirstRun): string {
  const trust = ready.authority === null ? [] : ['--cacert', shellWord(ready.authority.path)];
  // Without the proxy in between, the line has to say what the proxy would.
  const proxied = ready.isBehindProxy ? ['-H', shellWord('X-Forwarded-Proto: https')] : [];
  const address = shellWord(`${ready.localUrl}/v1/analysis?tenantName=${tenant.name}`);
  const header = ['-H', shellWord(`Authorization: ApiKey ${key.secret}`)];
  return ['curl', ...trust, ...proxied, ...header, address].join(' ');
}
