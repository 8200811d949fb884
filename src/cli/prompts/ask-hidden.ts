/** A question whose answer is not shown while it is typed. */

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { ForensicsError } from '../../errors.ts';
import { person, type Streams } from './person.ts';

/** @throws {ForensicsError} `cancelled` when the person ends it with Ctrl-C or Ctrl-D. */
export async function askHidden(
  question: string,
  { input, output }: Streams = person,
): Promise<string> {
  // readline edits the line as always, but draws it into nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  output.write(question);
  try {
    return await new Promise((resolve, reject) => {
      const cancel = () => reject(new ForensicsError('cancelled', 'Cancelled.'));
      lines.once('line', resolve).once('SIGINT', cancel).once('close', cancel);
    });
  } finally {
    lines.close();
    output.write('\n');
  }
}
