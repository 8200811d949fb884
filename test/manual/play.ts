/** Plays a block of the manual on the stage, and answers the block as it is after this run. */

import type { Block } from './manual.ts';
import { saySame, shortened } from './normal.ts';
import type { Stage } from './stage.ts';

// Parts the outputs of commands: no program writes a record separator.
const separator = '\u001e';

/**
 * The text of a `console` block with what its commands print now; to the letter as it was when they say the same.
 *
 * @throws {Error} when a line of output stands before the first command.
 */
export async function playConsole(stage: Stage, { text }: Block): Promise<string> {
  const commands = commandsOf(text);
  const lines = commands.map((command) => `printf '\\036'\n${command.replaceAll(/^[$>] /gm, '')}`);
  const told = await stage.shell(lines.join('\n'));
  const outputs = told.text.split(separator).slice(1);
  const fresh = commands.map((command, i) => command + trimmed(outputs[i] ?? '')).join('');
  return saySame(text, fresh) ? text : fresh;
}

/** As `playConsole`, for the block whose first command is a server that goes on. */
export async function playServer(stage: Stage, { text }: Block): Promise<string> {
  const [command = ''] = commandsOf(text);
  const said = await stage.serve(command.slice(2).trimEnd());
  const fresh = command + trimmed(shortened(said));
  return saySame(text, fresh) ? text : fresh;
}

/** `$ command`, with the lines that a backslash joins to it. */
function commandsOf(text: string): readonly string[] {
  return [...text.matchAll(/^\$ (?:.*\\\n)*.*\n/gm)].map(([command]) => command);
}

/** The manual holds no empty line at an end, no blank behind words. */
function trimmed(output: string): string {
  const text = output.replaceAll(/ +$/gm, '').trim();
  return text === '' ? '' : `${text.replace(/^\n+/, '')}\n`;
}
