/** Where the password of an account comes from: a file, standard input, a person at the terminal, or chance. */

import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { generatePassword } from '../../access/passwords.ts';
import { ForensicsError } from '../../errors.ts';
import { usageError } from '../failure.ts';
import { askHidden } from '../prompts/ask-hidden.ts';
import { canAsk } from '../prompts/person.ts';
import { systemCodeOf } from '../../errors/system-code.ts';

export interface PasswordOptions {
  readonly passwordFile?: string;
  readonly passwordStdin?: boolean;
  readonly generate?: boolean;
}

/** @throws {ForensicsError} `usage`, `file_not_found`, `file_not_readable`, `cancelled`. */
export async function passwordFrom(options: PasswordOptions): Promise<string> {
  if (options.generate === true) return generatePassword();
  if (options.passwordFile !== undefined) return fromFile('--password-file', options.passwordFile);
  if (options.passwordStdin === true) return firstLine(await text(process.stdin));
  if (canAsk()) return fromPerson();
  throw usageError(
    'Say where the password comes from: --password-file, --password-stdin or --generate.',
  );
}

/** @throws {ForensicsError} as above. */
export async function currentPasswordFrom({
  currentPasswordFile: file,
}: {
  readonly currentPasswordFile?: string;
}): Promise<string> {
  if (file !== undefined) return fromFile('--current-password-file', file);
  if (canAsk()) return askHidden('Current password: ');
  throw usageError('Say where the current password comes from: --current-password-file.');
}

async function fromFile(option: string, path: string): Promise<string> {
  try {
    return firstLine(await readFile(path, 'utf8'));
  } catch (error) {
    const isMissing = systemCodeOf(error) === 'ENOENT';
    const [code, what] = isMissing
      ? (['file_not_found', 'does not exist'] as const)
      : (['file_not_readable', 'cannot be read'] as const);
    throw new ForensicsError(code, `The file of ${option} ${what}.`, { cause: error });
  }
}

/** Files and pipes end in a line break that is no part of the password. */
export function firstLine(content: string): string {
  return content.replace(/\r?\n[^]*$/, '');
}

async function fromPerson(): Promise<string> {
  const password = await askHidden('New password: ');
  if ((await askHidden('The same again: ')) === password) return password;
  throw usageError('The two passwords are not the same; nothing was changed.');
}
