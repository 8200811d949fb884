/**
 * The log of a server or worker on standard error. When nobody reads it or its disk is full, lines are dropped and the
 * server goes on; the number of dropped lines is logged as soon as writing works again.
 */

import { writeSync } from 'node:fs';
import { printable, switches } from '../output/terminal.ts';

export interface ServerLog {
  /** @param line - with its line feed. */
  write(line: string): void;
  /**
   * A message for the person at the terminal; nothing with `--quiet`. It bypasses the stream of Node.js, whose unread
   * buffer would keep the process from exiting.
   */
  readonly note: (text: string) => void;
  /** Lines that were dropped since the start. */
  dropped(): number;
  /** False while lines are dropped. */
  isWorking(): boolean;
}

/**
 * @param writeBytes - writes at once and returns how many bytes it wrote, or throws: `EAGAIN` where a reader does not keep
 *   up. Standard error is a stream of Node.js by then, which makes a pipe one that never blocks.
 */
export function createServerLog(
  writeBytes: (bytes: Uint8Array) => number = (bytes) => writeSync(process.stderr.fd, bytes),
): ServerLog {
  // The rest of a line that was written in part: it goes first, so that every line stays whole.
  let rest: Uint8Array = new Uint8Array();
  let dropped = 0;
  let droppedInARow = 0;

  /** False when the log accepts nothing more at the moment. */
  function flush(): boolean {
    try {
      while (rest.length > 0) rest = rest.subarray(writeBytes(rest));
      return true;
    } catch {
      // Only health and metrics can report this; they read the counts below.
      return false;
    }
  }

  function write(line: string): void {
    const hasRoom = flush();
    if (hasRoom) {
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
    note: (text) => {
      if (!switches().quiet) write(`${printable(text)}\n`);
    },
    dropped: () => dropped,
    isWorking: () => droppedInARow === 0,
  };
}
