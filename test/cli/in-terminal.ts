/** Runs the built command line in a pseudo-terminal, as a user sees it. */

import { spawn } from '@lydell/node-pty';
import { bareEnvironment, entry } from './run-cli.ts';

export interface TerminalHow {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** Called with everything shown so far whenever there is more; `type('y\r')` answers like a keyboard. */
  readonly onScreen?: (shown: string, type: (keys: string) => void) => void;
}

export interface Shown {
  readonly code: number;
  /** Everything written to both streams, with escape sequences. */
  readonly raw: string;
  /** The same without colours and cursor moves, for searching. */
  readonly text: string;
}

export function runInTerminal(args: readonly string[], how: TerminalHow = {}): Promise<Shown> {
  const { cwd = process.cwd(), env = {}, columns = 100, rows = 30, onScreen } = how;
  const terminal = spawn(process.execPath, [entry, ...args], {
    // The terminal sets TERM to this name, whatever the environment says.
    name: env['TERM'] ?? 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env: { ...bareEnvironment, TERM: 'xterm-256color', ...env },
  });
  let raw = '';
  terminal.onData((piece) => {
    raw += piece;
    onScreen?.(raw, (keys) => terminal.write(keys));
  });
  return new Promise((resolve) => {
    terminal.onExit(({ exitCode: code }) => resolve({ code, raw, text: plain(raw) }));
  });
}

function plain(raw: string): string {
  // CSI sequences (ECMA-48, 5.4), operating system commands, and the carriage returns that a
  // terminal adds.
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
  return raw.replaceAll(/\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007]*\u0007|\r/g, '');
}
