/** The person at the terminal: questions go to standard error, so that results can be piped on all the same. */

import { switches } from '../switches.ts';

export interface Streams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

export const person: Streams = { input: process.stdin, output: process.stderr };

/** Whether somebody is there to be asked, and wants to be: `--no-input`, and a pipe on either side, say no. */
export function canAsk({ input, output }: Streams = person): boolean {
  return switches().input && input.isTTY === true && output.isTTY === true;
}
