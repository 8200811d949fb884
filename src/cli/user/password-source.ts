/** Where the password of an account comes from: a file, standard input, a person at the terminal, or chance. */

import { generatePassword } from '../../access/passwords.ts';
import { usageError } from '../failure.ts';
import { askHidden } from '../prompts/ask-hidden.ts';
import { canAsk } from '../prompts/person.ts';
import { readText } from '../read-text.ts';

export interface PasswordOptions {
  readonly passwordFile?: string;
  readonly passwordStdin?: boolean;
  readonly generate?: boolean;
}

/** @throws {ForensicsError} `usage`, `file_not_found`, `file_not_readable`, `cancelled`. */
export async function passwordFrom(options: PasswordOptions): Promise<string> {
  if (options.generate === true) return generatePassword();
  if (options.passwordFile !== undefined) return firstLineOf(options.passwordFile);
  if (options.passwordStdin === true) return firstLineOf('-');
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
  if (file !== undefined) return firstLineOf(file);
  if (canAsk()) return askHidden('Current password: ');
  throw usageError('Say where the current password comes from: --current-password-file.');
}

/** `-` is standard input. Files and pipes end in a line break that is no part of the password. */
export async function firstLineOf(file: string): Promise<string> {
  return (await readText(file)).replace(/\r?\n[^]*$/, '');
}

async function fromPerson(): Promise<string> {
  const password = await askHidden('New password: ');
  if ((await askHidden('The same again: ')) === password) return password;
  throw usageError('The two passwords are not the same; nothing was changed.');
}
