/** The question before an act that cannot be undone: a person answers it, a script says `--yes` beforehand. */

import { createInterface } from 'node:readline';
import { ForensicsError } from '../errors.ts';
import { usageError } from './failure.ts';
import { canAsk, person } from './prompts/person.ts';

/**
 * False for any answer but y and yes; nobody who presses Enter has agreed.
 *
 * @throws {ForensicsError} `usage` where there is nobody to ask, `cancelled` when the person ends it with Ctrl-C or Ctrl-D.
 */
export async function confirm(question: string, { input, output } = person): Promise<boolean> {
  if (!canAsk({ input, output }))
    throw usageError(`${question} Say --yes where nobody can be asked.`);
  const lines = createInterface({ input, output });
  try {
    const answer = await new Promise<string>((resolve, reject) => {
      const cancel = () => reject(new ForensicsError('cancelled', 'Cancelled.'));
      lines.once('close', cancel).question(`${question} [y/N] `, resolve);
    });
    return /^\s*y(es)?\s*$/i.test(answer);
  } finally {
    lines.close();
  }
}
