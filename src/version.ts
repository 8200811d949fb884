import { readFileSync } from 'node:fs';

/** The version of this program, from `package.json`. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return String(Object(JSON.parse(text))['version']);
}
