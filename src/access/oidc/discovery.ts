/** What an identity provider says of itself (OpenID Connect Discovery 1.0, section 3): read, checked, reduced to what we use. */

import type { ServerMetadata } from 'openid-client';

export interface Discovered extends ServerMetadata {
  readonly jwks_uri: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/** @throws {TypeError} for a document of another issuer, without what we cannot do without, or with plain HTTP in it. */
export function readDiscovery(document: unknown, issuer: string): Discovered {
  const members = new Map(Object.entries(Object(document)));
  if (members.get('issuer') !== issuer) {
    throw new TypeError(`The identity provider calls itself ${String(members.get('issuer'))}.`);
  }
  const optional = (name: string): string | undefined => {
    const url = members.get(name);
    if (url === undefined) return undefined;
    if (typeof url === 'string' && URL.parse(url)?.protocol === 'https:') return url;
    throw new TypeError(`The identity provider's ${name} is no https address.`);
  };
  const required = (name: string): string => {
    const url = optional(name);
    if (url !== undefined) return url;
    throw new TypeError(`The identity provider names no ${name}.`);
  };
  const words = (name: string): string[] | undefined => {
    const list = members.get(name);
    return Array.isArray(list) ? list.filter((word) => typeof word === 'string') : undefined;
  };
  return {
    issuer,
    jwks_uri: required('jwks_uri'),
    authorization_endpoint: required('authorization_endpoint'),
    token_endpoint: required('token_endpoint'),
    ...defined({
      device_authorization_endpoint: optional('device_authorization_endpoint'),
      revocation_endpoint: optional('revocation_endpoint'),
      introspection_endpoint: optional('introspection_endpoint'),
      token_endpoint_auth_methods_supported: words('token_endpoint_auth_methods_supported'),
      id_token_signing_alg_values_supported: words('id_token_signing_alg_values_supported'),
    }),
  };
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(members: T): Given<T>;
function defined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
