import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of this program, from `package.json`. */
export function packageVersion(): string {
  const text = readFileSync(findPackageJSON('..', import.meta.url)!, 'utf8');
  return String(Object(JSON.parse(text))['version']);
}
