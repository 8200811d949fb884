/**
 * Where a server and a worker log: standard error, whatever becomes of it. A log that nobody reads or whose disk is full
 * costs lines, never the server; how many is counted, and said in the log as soon as it takes lines again.
 */

import { writeSync } from 'node:fs';
import { printable, switches } from '../output/terminal.ts';

export interface ServerLog {
  /** @param line - with its line feed. */
  write(line: string): void;
  /**
   * What a person at the terminal should know; nothing with `--quiet`. A server prints this way and not through the stream:
   * what the stream still holds for a reader that stands still would keep the process from ending.
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
  // What is left of a line that the log took in part: it goes first, so that every line stays whole.
  let rest: Uint8Array = new Uint8Array();
  let dropped = 0;
  let droppedInARow = 0;

  /** False when the log takes nothing more of it now. */
  function flush(): boolean {
    try {
      while (rest.length > 0) rest = rest.subarray(writeBytes(rest));
      return true;
    } catch {
      // There is nowhere left to report it but health and metrics, which ask us.
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
