/** `forensics audit`: the log of what was done on this machine, for each tenant and for the service. */

import { type Command, InvalidArgumentError } from 'commander';
import type { AuditOptions, HeadOptions, ListOptions } from './audit/options.ts';
import type { FilesOptions } from './audit/files.ts';
import type { VerifyOptions } from './audit/verify.ts';

export function registerAudit(program: Command): void {
  const audit = program
    .command('audit')
    .description('Read and verify the log of who did what, when.')
    .addHelpText(
      'after',
      `
Each tenant has a log of its own; --service means that of people, master key and signing key.

Examples:
  $ forensics audit verify
  $ forensics audit list --tenant acme --analysis 65f000000000000000000001`,
    );
  describeVerify(local(chosen(audit.command('verify'))));
  describeHead(local(chosen(audit.command('head'))));
  selected(local(chosen(audit.command('list').description('List entries, oldest first.')))).action(
    async (_own: unknown, command: Command) => {
      const { list } = await import('./audit/list.ts');
      await list(command.optsWithGlobals<ListOptions>());
    },
  );
  describeExport(local(chosen(audit.command('export')), { json: false }));
  describeFiles(local(audit.command('files')));
}

function describeVerify(command: Command): void {
  command
    .description('Check that no entry was changed, removed, exchanged or put in.')
    .option('--head <hash>', 'the hash of an entry that was noted elsewhere', hash)
    .option('--file <file>', 'a file that "audit export" made, instead of a data folder')
    .addHelpText(
      'after',
      `
Without --tenant and --service every log is checked; the exit code is 7 when one is broken. Whoever can write to the
database can write a log anew from any entry on: only a hash that was noted elsewhere ("audit head") tells then.`,
    )
    .action(async (_own: unknown, called: Command) => {
      const { verify } = await import('./audit/verify.ts');
      await verify(called.optsWithGlobals<VerifyOptions>());
    });
}

function describeHead(command: Command): void {
  command
    .description('Print the hash of the last entry, to be noted elsewhere.')
    .action(async (_own: unknown, called: Command) => {
      const { head } = await import('./audit/head.ts');
      await head(called.optsWithGlobals<HeadOptions>());
    });
}

function describeExport(command: Command): void {
  command
    .description('Print a log as it is chained: a line of JSON an entry.')
    .addHelpText(
      'after',
      `
The SHA-256 of each line, without its end, stands as "previous" in the next; "audit verify --file" checks that.`,
    )
    .action(async (_own: unknown, called: Command) => {
      const { exportLines } = await import('./audit/list.ts');
      await exportLines(called.optsWithGlobals<AuditOptions>());
    });
}

function describeFiles(command: Command): void {
  command
    .description('Compare the stored files of an analysis with the hashes in the log.')
    .requiredOption('--tenant <name>', 'the tenant')
    .requiredOption('--analysis <id>', 'the analysis')
    .action(async (_own: unknown, called: Command) => {
      const { files } = await import('./audit/files.ts');
      await files(called.optsWithGlobals<FilesOptions>());
    });
}

function chosen(command: Command): Command {
  return command
    .option('--tenant <name>', 'the log of this tenant')
    .option('--service', 'the log of the service', false);
}

function selected(command: Command): Command {
  return command
    .option('--analysis <id>', 'only what was done to this analysis')
    .option('--since <date>', 'only from this date or time on, such as 2026-03-01', date);
}

function local(command: Command, { json } = { json: true }): Command {
  command
    .option('--data-dir <dir>', 'the data folder')
    .option('--config <file>', 'the config file');
  return json ? command.option('--json', 'print JSON', false) : command;
}

function hash(text: string): string {
  const lower = text.trim().toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(lower)) {
    throw new InvalidArgumentError('It has to be 64 hexadecimal digits.');
  }
  return lower;
}

function date(text: string): Date {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) {
    throw new InvalidArgumentError('It has to be a date such as 2026-03-01.');
  }
  return at;
}
