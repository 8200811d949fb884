/** `forensics completion`: a script that teaches a shell our commands. The scripts are in `completion/`. */

import { Argument, type Command } from 'commander';
import { type Place, placesOf } from '../completion/tree.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
type Shell = (typeof shells)[number];

/** @param complete - loads the options and verbs of a command of the program. */
export function defineCompletion(
  command: Command,
  complete: (other: Command) => Promise<void>,
): void {
  command
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      `
To install it for every new shell:
  bash         forensics completion bash > ~/.local/share/bash-completion/completions/forensics
               (needs the package bash-completion; without it, source the file in ~/.bashrc)
  zsh          forensics completion zsh > "\${fpath[1]}/_forensics"
               (a folder of fpath that you may write to, before compinit runs)
  fish         forensics completion fish > ~/.config/fish/completions/forensics.fish
  powershell   Add-Content $PROFILE 'forensics completion powershell | Out-String | Invoke-Expression'

Examples:
  $ forensics completion bash > ~/.local/share/bash-completion/completions/forensics
  $ forensics completion fish | source`,
    )
    .action(async (shell: Shell) => {
      const program = command.parent!;
      await Promise.all(program.commands.map(complete));
      process.stdout.write(await scripts[shell](placesOf(program)));
    });
}

const scripts: Readonly<Record<Shell, (places: readonly Place[]) => Promise<string>>> = {
  bash: async (places) => (await import('../completion/bash.ts')).bashScript(places),
  zsh: async (places) => (await import('../completion/zsh.ts')).zshScript(places),
  fish: async (places) => (await import('../completion/fish.ts')).fishScript(places),
  powershell: async (places) =>
    (await import('../completion/powershell.ts')).powershellScript(places),
};
