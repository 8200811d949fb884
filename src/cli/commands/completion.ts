/** `forensics completion`: prints a short shell script that gets its suggestions from the hidden command `__complete`. */

import { Argument, type Option } from 'commander';
import type { Command } from '../command.ts';

type Complete = (command: Command) => Promise<void>;

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
type Shell = (typeof shells)[number];

export function defineCompletion(command: Command): void {
  command
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .helpAfter(`
To install it for every new shell:
  bash         forensics completion bash > ~/.local/share/bash-completion/completions/forensics
               (needs the package bash-completion; without it, source the file in ~/.bashrc)
  zsh          forensics completion zsh > "\${fpath[1]}/_forensics"
               (any folder in fpath that you can write to, before compinit runs)
  fish         forensics completion fish > ~/.config/fish/completions/forensics.fish
  powershell   Add-Content $PROFILE 'forensics completion powershell | Out-String | Invoke-Expression'

Examples:
  $ forensics completion bash > ~/.local/share/bash-completion/completions/forensics
  $ forensics completion fish | source`)
    .action((shell: Shell) => {
      process.stdout.write(scripts[shell]);
    });
}

/**
 * Prints one line for each word that may replace the last one: the word, a tab and its description.
 * A line `:files` or `:folders` leaves completion to the shell.
 */
export function defineComplete(command: Command, complete: Complete): void {
  command.argument('[words...]').action(async (words: readonly string[]) => {
    for (const line of await linesFor(command.parent!, words, complete)) {
      process.stdout.write(`${line}\n`);
    }
  });
}

async function linesFor(
  program: Command,
  words: readonly string[],
  complete: Complete,
): Promise<readonly string[]> {
  const { command, option, isPastOptions } = await placeAfter(
    program,
    words.slice(0, -1),
    complete,
  );
  // Bash splits --tier=f into three words, and PowerShell quotes an empty word.
  const typed = (words.at(-1) ?? '').replace(/^(=|"")$/, '');
  const [, flag = '', value = ''] = /^(--[^=]+=)(.*)$/.exec(typed) ?? [];
  const assigned = option ?? (flag === '' ? undefined : valuedOption(command, flag.slice(0, -1)));
  if (assigned !== undefined) {
    const start = option === undefined ? value : typed;
    // The word in angle brackets, such as `dir` in `--out <dir>`.
    const placeholder = /[<[](?<word>[a-z-]+)/.exec(assigned.flags)?.groups?.['word'] ?? '';
    return valueLines(assigned.argChoices, placeholder)
      .filter((line) => line.startsWith(':') || line.startsWith(start))
      .map((line) => (line.startsWith(':') || option !== undefined ? line : `${flag}${line}`));
  }
  const argumentLines = command.registeredArguments.flatMap((argument) =>
    valueLines(argument.argChoices, argument.name()),
  );
  const lines =
    typed.startsWith('-') && !isPastOptions
      ? visibleOptions(command).flatMap(({ short, long, description }) =>
          [short, long].flatMap((name) => (name === undefined ? [] : `${name}\t${description}`)),
        )
      : [...(isPastOptions ? [] : commandLines(command)), ...argumentLines];
  return [...new Set(lines)].filter((line) => line.startsWith(':') || line.startsWith(typed));
}

interface CompletionPoint {
  readonly command: Command;
  /** The option that expects a value next. */
  readonly option?: Option;
  /** Whether `--` was given. */
  readonly isPastOptions: boolean;
}

async function placeAfter(
  program: Command,
  words: readonly string[],
  complete: Complete,
): Promise<CompletionPoint> {
  let command = program;
  let option: Option | undefined;
  for (const word of words) {
    if (word === '=') continue;
    if (word === '--') return { command, isPastOptions: true };
    if (option !== undefined) {
      option = undefined;
      continue;
    }
    option = valuedOption(command, word);
    const below = command.commands.find((each) => each.name() === word);
    if (below === undefined) continue;
    // oxlint-disable-next-line no-await-in-loop -- its subcommands are known only once it is loaded
    await complete(below);
    command = below;
  }
  return { command, isPastOptions: false, ...(option && { option }) };
}

function visibleOptions(command: Command): readonly Option[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

function valuedOption(command: Command, word: string): Option | undefined {
  return visibleOptions(command).find(
    (each) => [each.short, each.long].includes(word) && (each.required || each.optional),
  );
}

function commandLines(command: Command): readonly string[] {
  // `help` takes the names of its sibling commands.
  const shown = command.name() === 'help' ? command.parent! : command;
  return shown
    .createHelp()
    .visibleCommands(shown)
    .map((each) => `${each.name()}\t${each.description()}`);
}

function valueLines(choices: readonly string[] | undefined, placeholder: string): string[] {
  if (choices !== undefined) return choices.map((choice) => `${choice}\t`);
  if (placeholder === 'file' || placeholder === 'bundle') return [':files'];
  return placeholder === 'dir' ? [':folders'] : [];
}

const scripts: Readonly<Record<Shell, string>> = {
  bash: `_forensics() {
  local line current="\${COMP_WORDS[COMP_CWORD]}" path=''
  [ "$current" = '=' ] && current=''
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
    :files) path=-f ;;
    :folders) path=-d ;;
    *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(forensics __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [ -z "$path" ] && return
  type compopt >/dev/null 2>&1 && compopt -o filenames 2>/dev/null
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$path" -- "$current")
}
complete -F _forensics forensics
`,
  zsh: `#compdef forensics
_forensics() {
  local line tab=$'\\t'
  local -a offered
  for line in "\${(@f)$(forensics __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
    :files) compset -P '--*='; _files ;;
    :folders) compset -P '--*='; _files -/ ;;
    ?*) offered+=("\${line%%$tab*}:\${line#*$tab}") ;;
    esac
  done
  (( $#offered )) && _describe forensics offered
}
if [ "\${funcstack[1]}" = _forensics ]; then _forensics "$@"; else compdef _forensics forensics; fi
`,
  fish: `function __forensics_complete
  set -l current (commandline -ct)
  set -l words (commandline -opc) "$current"
  for line in (forensics __complete -- $words[2..-1] 2>/dev/null)
    switch $line
      case :files
        __fish_complete_path "$current"
      case :folders
        __fish_complete_directories "$current"
      case '*'
        echo $line
    end
  end
end
complete -c forensics -f -a '(__forensics_complete)'
`,
  // If there are no suggestions, PowerShell itself offers files.
  powershell: `Register-ArgumentCompleter -Native -CommandName forensics -ScriptBlock {
  param($typed, $line, $cursor)
  $words = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($typed -eq '') { $words += '""' }
  forensics __complete '--' @words 2>$null | Where-Object { -not $_.StartsWith(':') } | ForEach-Object {
    $word, $meaning = $_ -split "\`t", 2
    if (-not $meaning) { $meaning = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $meaning)
  }
}
`,
};
