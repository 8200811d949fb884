/** The question before an act that cannot be undone: a person answers it, a script says `--yes` beforehand. */

import { createInterface } from 'node:readline/promises';
import { usageError } from './failure.ts';

interface Streams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/**
 * False for any answer but y and yes; nobody who presses Enter or Ctrl-D has agreed.
 *
 * @throws {ForensicsError} `usage` where there is nobody to ask.
 */
export async function confirm(
  question: string,
  { input, output }: Streams = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  if (input.isTTY !== true) throw usageError(`${question} Say --yes where nobody can be asked.`);
  const lines = createInterface({ input, output });
  const hasLeft = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `), hasLeft]);
    return /^\s*y(es)?\s*$/i.test(answer);
  } finally {
    lines.close();
  }
}
