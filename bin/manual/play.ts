/** Runs the blocks of the manual on the stage, each in its own way. */

import { playLibrary } from './library.ts';
import type { Block } from './manual.ts';
import { isNearly, saySame, shortened } from './normal.ts';
import type { Stage, Told } from './stage.ts';
import type { Way } from './ways.ts';

// Separates the outputs of commands: no program prints a record separator.
const separator = '\u001e';

/**
 * The text of a block after this run: its commands with what they print now, or unchanged if both outputs are equal or
 * the block has none.
 *
 * @throws {Error} with the output, if a script fails.
 */
export async function play(stage: Stage, block: Block, way: Way): Promise<string> {
  const { text } = block;
  switch (way) {
    case 'output':
      return renewed(text, await playConsole(stage, text));
    case 'exact':
      return renewed(text, await playConsole(stage, text), isNearly);
    case 'server':
      return renewed(text, await playServer(stage, text));
    case 'script':
      return proven(block, await stage.shell(`set -e -o pipefail\n${text}`));
    case 'library':
      return proven(block, await playLibrary(stage, block));
    case 'install':
    case 'pipeline':
    case 'file':
      break;
  }
  return text;
}

async function playConsole(stage: Stage, text: string): Promise<string> {
  const commands = commandsOf(text);
  const lines = commands.map((command) => `printf '\\036'\n${command.slice(2)}`);
  const told = await stage.shell(lines.join('\n'));
  const outputs = told.text.split(separator).slice(1);
  return commands.map((command, i) => command + asShown(outputs[i] ?? '')).join('');
}

/** Its first command starts a server that keeps running. */
async function playServer(stage: Stage, text: string): Promise<string> {
  const [command = ''] = commandsOf(text);
  return command + asShown(shortened(await stage.serve(command.slice(2).trimEnd())));
}

/** `$ command`, with continuation lines after a backslash. */
function commandsOf(text: string): readonly string[] {
  return [...text.matchAll(/^\$ (?:.*\\\n)*.*\n/gm)].map(([command]) => command);
}

/** The manual has no empty lines at the end and no trailing spaces, and states once where all commands act. */
function asShown(output: string): string {
  const lines = output.replaceAll(/^Acting on the data folder .*\n/gm, '').replaceAll(/ +$/gm, '');
  const text = lines.replace(/^\n+/, '').trimEnd();
  return text === '' ? '' : `${text}\n`;
}

function renewed(text: string, fresh: string, isSame = saySame): string {
  return isSame(text, fresh) ? text : fresh;
}

function proven({ name, text }: Block, told: Told): string {
  if (told.code === 0) return text;
  throw new Error(`The block "${name}" of the manual ends with ${told.code}:\n${told.text}`);
}
