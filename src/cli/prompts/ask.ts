/** Questions to the person at the terminal. Whoever calls has made sure with `canAsk` that there is one. */

import { ForensicsError } from '../../errors.ts';
import { person } from './person.ts';

export interface LineQuestion {
  readonly message: string;
  /** What is wrong with an answer; null when nothing is. It is asked again until then. */
  readonly fault?: (answer: string) => string | null;
}

/** @throws {ForensicsError} `cancelled` when the person ends it with Ctrl-C or Ctrl-D. */
export async function askLine({ message, fault }: LineQuestion): Promise<string> {
  const { input } = await import('@inquirer/prompts');
  const answer = await untilLeft(async (how) =>
    input(
      {
        message,
        validate: (text) => fault?.(text.trim()) ?? true,
      },
      how,
    ),
  );
  return answer.trim();
}

interface How {
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

async function untilLeft<T>(ask: (how: How) => Promise<T>): Promise<T> {
  const left = new AbortController();
  // Ctrl-D closes the line, and the package would wait for an answer for ever.
  const onKey = (_text: unknown, key: { readonly ctrl?: boolean; readonly name?: string }) => {
    if (key.ctrl === true && key.name === 'd') left.abort();
  };
  person.input.on('keypress', onKey);
  try {
    return await ask({ output: person.output, signal: left.signal });
  } catch (error) {
    const isLeft = error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name);
    throw isLeft ? new ForensicsError('cancelled', 'Cancelled.', { cause: error }) : error;
  } finally {
    person.input.off('keypress', onKey);
  }
}
