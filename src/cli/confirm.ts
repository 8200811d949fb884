/**
 * The question before an act that cannot be undone: a person answers it, a script says `--yes` beforehand. Which acts a script
 * may do without a word is said where they are.
 */

import { createInterface } from 'node:readline';
import { ForensicsError } from '../errors.ts';
import { usageError } from './failure.ts';
import { canAsk, person, type Streams } from './prompts/person.ts';

/**
 * False for any answer but y and yes; nobody who presses Enter has agreed.
 *
 * @throws {ForensicsError} `usage` where there is nobody to ask, `cancelled` when the person ends it with Ctrl-C or Ctrl-D.
 */
export async function confirm(question: string, { input, output } = person): Promise<boolean> {
  if (!canAsk({ input, output }))
    throw usageError(`${question} Say --yes where nobody can be asked.`);
  return /^\s*y(es)?\s*$/i.test(await answerTo(`${question} [y/N] `, { input, output }));
}

/** The same where a script is taken at its word: only who can be asked is asked. */
export async function agreed(
  question: string,
  { yes }: { readonly yes: boolean },
  streams = person,
): Promise<boolean> {
  return yes || !canAsk(streams) || confirm(question, streams);
}

/** The same, for an act that takes much with it: only whoever types the name has agreed. @throws as `confirm`. */
export async function confirmByName(
  question: string,
  name: string,
  streams = person,
): Promise<boolean> {
  if (!canAsk(streams)) throw usageError(`${question} Say --yes where nobody can be asked.`);
  return (await answerTo(`${question} Type its name to go on: `, streams)).trim() === name;
}

async function answerTo(question: string, { input, output }: Streams): Promise<string> {
  const lines = createInterface({ input, output });
  try {
    return await new Promise<string>((resolve, reject) => {
      const cancel = () => reject(new ForensicsError('cancelled', 'Cancelled.'));
      lines.once('close', cancel).question(question, resolve);
    });
  } finally {
    lines.close();
  }
}
