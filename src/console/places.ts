/** The addresses of the pages. They come after `#`, so that the server never sees which analysis someone looks at. */

/** `#/analysis/65f1?with=77aa` is the path `['analysis', '65f1']` and the query. */
export interface Route {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').filter((part) => part !== '');
  return { path: parts.map(decoded), query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const places = [
  ['analyses', 'verify'],
  ['usage', 'keys', 'tenant', 'users', 'holds', 'audit'],
  ['account', 'help'],
] as const;
export type Place = (typeof places)[number][number];
export const forManagers = ['users', 'holds', 'audit'] as const;
