/**
 * The table of commands, in the order of the help. A command's file adds its arguments, options and verbs, and is loaded
 * only for the command that is called: `--help`, `--version` and a mistyped command load none of them.
 */

import type { Command } from 'commander';

/** Adds everything but name and description. `complete` does the same for another command of the program. */
type Define = (command: Command, complete: (other: Command) => Promise<void>) => void;

interface CommandEntry {
  readonly name: string;
  readonly group: string;
  /** One sentence. */
  readonly description: string;
  readonly load: () => Promise<Define>;
  /** Not in the help. */
  readonly isHidden?: true;
}

const commands: readonly CommandEntry[] = [
  {
    name: 'analyze',
    group: 'Examine pictures:',
    description:
      'Examine pictures (jpg, png) on this machine, without any network, or on a server (--url).',
    load: async () => (await import('./commands/analyze.ts')).defineAnalyze,
  },
  {
    name: 'validate',
    group: 'Examine pictures:',
    description: 'Measure the error rates of the model on your own labelled pictures.',
    load: async () => (await import('./commands/validate.ts')).defineValidate,
  },
  {
    name: 'models',
    group: 'Examine pictures:',
    description: 'List and verify the models that verdicts rest on.',
    load: async () => (await import('./commands/models.ts')).defineModels,
  },
  {
    name: 'report',
    group: 'Evidence:',
    description:
      'Write the signed evidence bundle of a stored analysis or, from a server, its result, heatmaps and reports.',
    load: async () => (await import('./commands/report.ts')).defineReport,
  },
  {
    name: 'verify',
    group: 'Evidence:',
    description: 'Check every byte of an evidence bundle, its signature and its key.',
    load: async () => (await import('./commands/verify.ts')).defineVerify,
  },
  {
    name: 'reproduce',
    group: 'Evidence:',
    description:
      'Examine the picture of an evidence bundle again and compare every field and pixel.',
    load: async () => (await import('./commands/reproduce.ts')).defineReproduce,
  },
  {
    name: 'hold',
    group: 'Evidence:',
    description: 'Keep analyses from being purged, for example by order of a court.',
    load: async () => (await import('./commands/hold.ts')).defineHold,
  },
  {
    name: 'audit',
    group: 'Evidence:',
    description: 'Read and verify the log of who did what, when.',
    load: async () => (await import('./commands/audit.ts')).defineAudit,
  },
  {
    name: 'signing-key',
    group: 'Evidence:',
    description: 'Show, export or replace the key that signs evidence bundles.',
    load: async () => (await import('./commands/signing-key.ts')).defineSigningKey,
  },
  {
    name: 'serve',
    group: 'Serve:',
    description: 'Serve the HTTP interface over HTTPS, with database, store and workers inside.',
    load: async () => (await import('./commands/serve.ts')).defineServe,
  },
  {
    name: 'worker',
    group: 'Serve:',
    description: 'Run analyses of a data folder in addition to its server.',
    load: async () => (await import('./commands/worker.ts')).defineWorker,
  },
  {
    name: 'webhooks',
    group: 'Serve:',
    description: 'List, replay and test the webhook messages of tenants.',
    load: async () => (await import('./commands/webhooks.ts')).defineWebhooks,
  },
  {
    name: 'feedback',
    group: 'Serve:',
    description: 'Read the feedback of users.',
    load: async () => (await import('./commands/feedback.ts')).defineFeedback,
  },
  {
    name: 'tenant',
    group: 'Administer:',
    description: 'Create, list, show, change and delete tenants.',
    load: async () => (await import('./commands/tenant.ts')).defineTenant,
  },
  {
    name: 'keys',
    group: 'Administer:',
    description: 'Create, list, rotate, revoke and prune API keys.',
    load: async () => (await import('./commands/keys.ts')).defineKeys,
  },
  {
    name: 'user',
    group: 'Administer:',
    description: 'Create, list, show, change and disable accounts.',
    load: async () => (await import('./commands/user.ts')).defineUser,
  },
  {
    name: 'usage',
    group: 'Administer:',
    description: 'Show the usage of tenants.',
    load: async () => (await import('./commands/usage.ts')).defineUsage,
  },
  {
    name: 'master-key',
    group: 'Administer:',
    description: 'Replace the key that encrypts the secrets of the data folder.',
    load: async () => (await import('./commands/master-key.ts')).defineMasterKey,
  },
  {
    name: 'migrate',
    group: 'Administer:',
    description: 'Move the data folder to PostgreSQL and a bucket, for several machines.',
    load: async () => (await import('./commands/migrate.ts')).defineMigrate,
  },
  {
    name: 'login',
    group: 'Act on a server:',
    description: 'Log in to a server and save the login as a profile.',
    load: async () => (await import('./commands/login.ts')).defineLogin,
  },
  {
    name: 'logout',
    group: 'Act on a server:',
    description: 'Log out of a server: end the session there and delete it here.',
    load: async () => (await import('./commands/login.ts')).defineLogout,
  },
  {
    name: 'profile',
    group: 'Act on a server:',
    description: 'List, show and remove saved servers.',
    load: async () => (await import('./commands/profile.ts')).defineProfile,
  },
  {
    name: 'backup',
    group: 'This machine:',
    description: 'Back up the data folder while its server runs; check a backup.',
    load: async () => (await import('./commands/backup.ts')).defineBackup,
  },
  {
    name: 'restore',
    group: 'This machine:',
    description: 'Restore a data folder from a backup, on this machine or another.',
    load: async () => (await import('./commands/backup.ts')).defineRestore,
  },
  {
    name: 'doctor',
    group: 'This machine:',
    description: 'Check what the service needs, and say how to fix what is wrong.',
    load: async () => (await import('./commands/doctor.ts')).defineDoctor,
  },
  {
    name: 'config',
    group: 'This machine:',
    description: 'Show the settings and where they come from.',
    load: async () => (await import('./commands/config.ts')).defineConfig,
  },
  {
    name: 'completion',
    group: 'This machine:',
    description: 'Print a script that completes commands, options and file names in a shell.',
    load: async () => (await import('./commands/completion.ts')).defineCompletion,
  },
  {
    name: '__complete',
    group: 'This machine:',
    description: 'Print what may stand in the place of the last word.',
    load: async () => (await import('./commands/completion.ts')).defineComplete,
    isHidden: true,
  },
];

const notLoaded = new WeakMap<Command, CommandEntry>();

/** Adds every command to the program by name and description alone. */
export function addCommands(program: Command): void {
  for (const entry of commands) {
    const { name, group, description, isHidden = false } = entry;
    const command = program.command(name, { hidden: isHidden }).description(description);
    notLoaded.set(command.helpGroup(group), entry);
  }
}

/** Loads the file of a command that `addCommands` added, on first use. */
export async function completeCommand(command: Command): Promise<void> {
  const entry = notLoaded.get(command);
  if (entry === undefined) return;
  notLoaded.delete(command);
  const define = await entry.load();
  define(command, completeCommand);
  if (command.commands.length > 0) {
    command.helpCommand('help [command]', 'Print the help of a command.');
  }
}
