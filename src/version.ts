import { readFileSync } from 'node:fs';

/** Of this program, as `package.json` tells it. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return String(Object(JSON.parse(text))['version']);
}
