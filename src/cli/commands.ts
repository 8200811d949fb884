/**
 * The table of commands, in the order in which the help lists them. A command's file adds its arguments, options and
 * subcommands, and is loaded only when the command is called; `--help`, `--version` and a mistyped command load none.
 */

import type { Command } from 'commander';

/** Adds everything except the name and the description. `complete` does the same for another command of the program. */
type Define = (command: Command, complete: (other: Command) => Promise<void>) => void;

/** One sentence, and the function that loads the command. */
type CommandEntry = readonly [description: string, load: () => Promise<Define>];

/** By group, in the order in which the help lists them. */
const commands: Readonly<Record<string, Readonly<Record<string, CommandEntry>>>> = {
  'Examine pictures:': {
    analyze: [
      'Examine pictures on this machine, without a network, or on a server (--url).',
      async () => (await import('./commands/analyze.ts')).defineAnalyze,
    ],
    validate: [
      'Measure the error rates of the model on your own labelled pictures.',
      async () => (await import('./commands/validate.ts')).defineValidate,
    ],
    models: [
      'List and verify the models that verdicts are based on.',
      async () => (await import('./commands/models.ts')).defineModels,
    ],
  },
  'Evidence:': {
    report: [
      'Write the signed evidence bundle of a stored analysis or, from a server, its result, heatmaps and reports.',
      async () => (await import('./commands/report.ts')).defineReport,
    ],
    verify: [
      'Check every byte of an evidence bundle, its signature and its key.',
      async () => (await import('./commands/verify.ts')).defineVerify,
    ],
    reproduce: [
      'Examine the picture of an evidence bundle again, and compare every field and pixel.',
      async () => (await import('./commands/reproduce.ts')).defineReproduce,
    ],
    hold: [
      'Keep analyses from being purged, for example by court order.',
      async () => (await import('./commands/hold.ts')).defineHold,
    ],
    audit: [
      'Read and verify the log of who did what, when.',
      async () => (await import('./commands/audit.ts')).defineAudit,
    ],
    'signing-key': [
      'Show, export or replace the key that signs evidence bundles.',
      async () => (await import('./commands/signing-key.ts')).defineSigningKey,
    ],
  },
  'Serve:': {
    serve: [
      'Serve the HTTP API over TLS, with the database, the store and the workers built in.',
      async () => (await import('./commands/serve.ts')).defineServe,
    ],
    worker: [
      'Run analyses from a data folder alongside its server.',
      async () => (await import('./commands/serve.ts')).defineWorker,
    ],
    health: [
      'Check whether the server on this machine is working.',
      async () => (await import('./commands/health.ts')).defineHealth,
    ],
    webhooks: [
      'List, replay and test the webhook messages of tenants.',
      async () => (await import('./commands/webhooks.ts')).defineWebhooks,
    ],
    feedback: [
      'Read feedback from users.',
      async () => (await import('./commands/feedback.ts')).defineFeedback,
    ],
  },
  'Administer:': {
    tenant: [
      'Create, list, show, change and delete tenants.',
      async () => (await import('./commands/tenant.ts')).defineTenant,
    ],
    keys: [
      'Create, list, rotate, revoke and prune API keys.',
      async () => (await import('./commands/keys.ts')).defineKeys,
    ],
    user: [
      'Create, list, show, change and disable accounts.',
      async () => (await import('./commands/user.ts')).defineUser,
    ],
    usage: ['Show usage by tenant.', async () => (await import('./commands/usage.ts')).defineUsage],
    'master-key': [
      'Replace the key that encrypts the secrets of the data folder.',
      async () => (await import('./commands/master-key.ts')).defineMasterKey,
    ],
    migrate: [
      'Move the data folder to PostgreSQL and a bucket, for several machines.',
      async () => (await import('./commands/migrate.ts')).defineMigrate,
    ],
  },
  'Act on a server:': {
    login: [
      'Log in to a server and save the login as a profile.',
      async () => (await import('./commands/login.ts')).defineLogin,
    ],
    logout: [
      'Log out of a server: end the session there and delete it here.',
      async () => (await import('./commands/login.ts')).defineLogout,
    ],
    profile: [
      'List, show and remove saved servers.',
      async () => (await import('./commands/profile.ts')).defineProfile,
    ],
  },
  'This machine:': {
    backup: [
      'Back up the data folder while its server runs; check a backup.',
      async () => (await import('./commands/backup.ts')).defineBackup,
    ],
    restore: [
      'Restore a data folder from a backup, on this machine or another.',
      async () => (await import('./commands/backup.ts')).defineRestore,
    ],
    doctor: [
      'Check everything the service needs, and say how to fix problems.',
      async () => (await import('./commands/doctor.ts')).defineDoctor,
    ],
    config: [
      'Show the settings and where they come from.',
      async () => (await import('./commands/config.ts')).defineConfig,
    ],
    completion: [
      'Print a script that completes commands, options and file names in a shell.',
      async () => (await import('./commands/completion.ts')).defineCompletion,
    ],
    __complete: [
      'Print suggestions for the last word.',
      async () => (await import('./commands/completion.ts')).defineComplete,
    ],
  },
};

const notLoaded = new WeakMap<Command, () => Promise<Define>>();

export function addCommands(program: Command): void {
  for (const [group, entries] of Object.entries(commands)) {
    for (const [name, [description, load]] of Object.entries(entries)) {
      // Called by the shell.
      const command = program.command(name, { hidden: name === '__complete' });
      notLoaded.set(command.description(description).helpGroup(group), load);
    }
  }
}

/** Loads the file of a command that `addCommands` added, on first use. */
export async function completeCommand(command: Command): Promise<void> {
  const load = notLoaded.get(command);
  if (load === undefined) return;
  notLoaded.delete(command);
  const define = await load();
  define(command, completeCommand);
  if (command.commands.length > 0) {
    command.helpCommand('help [command]', 'Print the help of a command.');
  }
}
