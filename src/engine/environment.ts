/** What another run must match to be byte-identical. */

import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** @param versions - of the libraries that touched the picture, by name. */
export function environmentOf(
  versions: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return {
    forensics: productVersion(),
    node: process.versions.node,
    ...versions,
    platform: `${process.platform}-${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
  };
}

/** `package.json` lies beside `src/` and `dist/`, so one relative path serves both. */
function productVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version }: { readonly version?: unknown } = JSON.parse(text);
  return typeof version === 'string' ? version : 'unknown';
}
