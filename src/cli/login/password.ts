import { usageError } from '../failure.ts';
import { askHidden } from '../prompts/ask-hidden.ts';
import { askLine } from '../prompts/ask.ts';
import { canAsk } from '../prompts/person.ts';
import { firstLineOf } from '../user/password-source.ts';
import type { LoginOptions } from './run.ts';

/** @throws {ForensicsError} `usage` where nobody can be asked, `cancelled`. */
export async function passwordOf({
  email: given,
  passwordStdin,
}: Pick<LoginOptions, 'email' | 'passwordStdin'>): Promise<{ email: string; password: string }> {
  if (passwordStdin) {
    if (given === undefined) throw usageError('--password-stdin needs --email ADDRESS.');
    return { email: given, password: await firstLineOf('-') };
  }
  if (!canAsk()) {
    throw usageError(
      'Nobody can be asked here: give --email and --password-stdin, or an API key with --api-key-file and --tenant.',
    );
  }
  const email = given ?? (await askLine({ message: 'E-mail address:', fault: faultOf }));
  return { email, password: await askHidden('Password: ') };
}

function faultOf(answer: string): string | null {
  return answer === '' ? 'It is what your account is known by.' : null;
}
