/** `forensics migrate`: moves an installation from a single machine to PostgreSQL, which several can share. */

import { migrateInstallation } from '../../ops/migrate/migrate.ts';
import { readConfig } from '../../contract/config.ts';
import { allowedFor, parseSetting } from '../../contract/settings.ts';
import { usageError } from '../../contract/errors.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { installedSettings } from '../connection/local.ts';
import type { Command, LocalOptions, TextOptions } from '../options.ts';

export function defineMigrate(migrate: Command): void {
  migrate
    .requiredOption(
      '--to <url>',
      'an empty PostgreSQL database: postgres://user@host/name?sslmode=verify-full',
    )
    .option('--password-file <file>', 'file with the database password')
    .option(
      '--default-storage <file>',
      'also move pictures and reports to the bucket or container in this JSON file',
    )
    .localOptions()
    .helpAfter(`
Stop the server first. The data folder is not changed, but do not serve it again once the new database is in use.
If the command is interrupted, run it again; it continues where it stopped.`)
    .examples(
      '--to postgres://forensics@db.example/forensics?sslmode=verify-full --password-file db.password',
      '--to postgres://forensics@localhost/forensics --default-storage bucket.json',
    )
    .action(migrateTo);
}

interface MigrateOptions extends LocalOptions, TextOptions<'passwordFile' | 'defaultStorage'> {
  readonly to: string;
}

async function migrateTo(options: MigrateOptions): Promise<void> {
  const { to, passwordFile: databasePasswordFile, defaultStorage } = options;
  const databaseUrl = parseSetting('databaseUrl', to);
  if (databaseUrl === undefined) throw usageError(`--to must be ${allowedFor('databaseUrl')}.`);
  if (URL.parse(to)?.password !== '') {
    throw usageError(
      'Other users of this machine can see a password on the command line; put it in a file and specify that with --password-file.',
    );
  }
  const { dataDir, databaseUrl: present } = installedSettings(options);
  if (present !== null) throw usageError('This installation already uses an external database.');
  const { settings } = readConfig({
    flags: { dataDir, databaseUrl, databasePasswordFile, defaultStorage },
    configFile: options.config,
  });
  const { copied } = await migrateInstallation({ ...settings, databaseUrl: to }, (what, count) =>
    log(`${what}: ${count}`),
  );
  if (options.json) return printJson({ migrated: true, copied });
  print('Everything was moved, and the audit logs are intact.');
  const more = defaultStorage === undefined ? '' : ' and defaultStorage';
  log(
    `Set databaseUrl${more} in the config file or the environment and start the server again. Other machines need the same settings and this machine's master key.`,
  );
}
