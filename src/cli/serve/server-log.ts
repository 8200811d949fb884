/**
 * The log of a server or worker on standard error. When nobody reads it or its disk is full, lines are dropped and the
 * server keeps running; the number of dropped lines is logged as soon as writing works again.
 */

import { writeSync } from 'node:fs';
import { printable, switches } from '../output/terminal.ts';

export type ServerLog = ReturnType<typeof createServerLog>;

/**
 * @param writeBytes - writes synchronously and returns the number of bytes written, or throws, such as `EAGAIN` when a
 *   reader does not keep up. (Node.js makes a pipe non-blocking once standard error is one of its streams.)
 */
export function createServerLog(
  writeBytes: (bytes: Uint8Array) => number = (bytes) => writeSync(process.stderr.fd, bytes),
) {
  // The rest of a partly written line. It is written first, so that every line stays whole.
  let rest: Uint8Array = new Uint8Array();
  let dropped = 0;
  let droppedInARow = 0;

  /** Returns false if the log accepts nothing more at the moment. */
  function flush(): boolean {
    try {
      while (rest.length > 0) rest = rest.subarray(writeBytes(rest));
      return true;
    } catch {
      // Only health and metrics can report this; they read the counts below.
      return false;
    }
  }

  /** @param line - including its line feed. */
  function write(line: string): void {
    if (flush()) {
      const gap = droppedInARow === 0 ? '' : `${droppedInARow} lines of this log were lost.\n`;
      const whole = Buffer.from(gap + line);
      rest = whole;
      if (flush() || rest.length < whole.length) {
        droppedInARow = 0;
        return;
      }
      rest = new Uint8Array();
    }
    dropped += 1;
    droppedInARow += 1;
  }

  return {
    write,
    /**
     * Prints a message for the person at the terminal, except with `--quiet`. It bypasses Node.js's
     * stream, because an unread buffer there would keep the process from exiting.
     */
    note: (text: string): void => {
      if (!switches().quiet) write(`${printable(text)}\n`);
    },
    /** Number of lines dropped since the start. */
    dropped: () => dropped,
    /** Returns false while lines are being dropped. */
    isWorking: () => droppedInARow === 0,
  };
}
