/** API keys from a file, standard input or the environment; never from a flag, which everybody on the machine sees. */

import { statSync } from 'node:fs';
import { usageError } from '../failure.ts';
import { readText } from '../read-text.ts';
import { say } from '../talk.ts';

/** @param file - `-` is standard input. @throws {ForensicsError} `usage`, `file_not_found`, `file_not_readable`. */
export async function apiKeyFrom(file: string): Promise<string> {
  const key = checked(await readText(file), 'The file of --api-key-file');
  warnIfOpen(file);
  return key;
}

/** Null when there is none. @throws {ForensicsError} `usage`. */
export function apiKeyOfEnvironment(): string | null {
  const { FORENSICS_API_KEY = '' } = process.env;
  return FORENSICS_API_KEY === '' ? null : checked(FORENSICS_API_KEY, 'FORENSICS_API_KEY');
}

/** What holds no key is not sent anywhere: it may be another secret. */
function checked(text: string, where: string): string {
  const key = text.trim();
  if (/^sk-[\w-]{1,500}$/.test(key)) return key;
  throw usageError(`${where} must hold an API key, and nothing else; it begins with "sk-".`);
}

// Told, not refused: secrets that a container is given are often readable for all inside it.
function warnIfOpen(file: string): void {
  if (file === '-' || process.platform === 'win32') return;
  const { mode } = statSync(file);
  if ((mode & 0o077) !== 0) say(`Others on this machine can read ${file}; chmod 600 mends it.`);
}
