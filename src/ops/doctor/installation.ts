import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type BigIntStatsFs, readFileSync, statSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Settings } from '../../contract/config.ts';
import { belongsToAnotherUser } from '../../ports/data-folder/data-folder.ts';
import type { Db } from '../../ports/db/database.ts';
import { toSqliteError } from '../../ports/db/errors.ts';
import { problemsIn } from '../../ports/db/snapshot.ts';
import { systemCodeOf } from '../../ports/files/files.ts';
import type { SqliteDb } from '../../ports/db/sqlite.ts';
import { createRegistry } from '../../inference/registry.ts';
import { type ErrorCode, ForensicsError } from '../../contract/errors.ts';

/** Files that only their owner may read, and folders that nobody else may enter. */
const privateNames = [
  '',
  'blobs',
  'forensics.db',
  'forensics.db-wal',
  'master.key',
  'tls',
  join('tls', 'ca-key.pem'),
  join('tls', 'key.pem'),
];

export function checkRights(dataDir: string): Diagnosis {
  const { ok, failed } = diagnose('data folder');
  const open = privateNames.filter((name) => {
    const mode = statSync(join(dataDir, name), { throwIfNoEntry: false })?.mode ?? 0;
    // Windows has different access rights, which the mode does not show.
    return process.platform !== 'win32' && (mode & 0o077) !== 0;
  });
  if (open.length === 0) return ok('Only its owner can read it.');
  const names = open.map((name) => (name === '' ? 'the folder itself' : name)).join(', ');
  return failed(`Other users can read it: ${names}.`, `chmod -R go-rwx '${dataDir}'`);
}

/** Comes before all other checks of the folder, which would fail for the same reason. @returns null if all is well. */
export async function checkAccess(dataDir: string): Promise<Diagnosis | null> {
  const { failed } = diagnose('data folder');
  try {
    if (belongsToAnotherUser(dataDir)) {
      // Files created here would belong to us, so the server could not use them.
      const owner = `#${statSync(dataDir).uid}`;
      const fix = `Run it as that user (sudo -u '${owner}' forensics doctor), or choose another folder with --data-dir.`;
      return failed('It belongs to another user.', fix);
    }
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    if (systemCodeOf(error) === 'EROFS') {
      const fix = 'Mount its disk for writing, or choose another folder with --data-dir.';
      return failed('Its disk is mounted read-only.', fix);
    }
    return failed(
      'You do not have permission to write to it.',
      'Run as the user who owns the folder, or choose another with --data-dir.',
    );
  }
}

// An analysis writes the upload, the copy that is examined, and the database.
const filesAnAnalysis = 3;
// Below either threshold, systems and databases start to fail.
const comfortableBytes = 1e9;
const comfortableShare = 0.05;

export async function measureSpace(folder: string) {
  const { bavail, blocks, bsize }: BigIntStatsFs = await statfs(folder, { bigint: true });
  return { freeBytes: Number(bavail * bsize), totalBytes: Number(blocks * bsize) };
}

/** Decides whether there is space for at least one analysis of the largest picture, with some to spare. */
export function judgeSpace(
  { freeBytes, totalBytes }: Awaited<ReturnType<typeof measureSpace>>,
  maxUploadBytes: number,
): Diagnosis {
  const { ok, warning, failed } = diagnose('free space');
  const percent = Math.floor((100 * freeBytes) / totalBytes);
  const message = `${Math.floor(freeBytes / 1e6)} MB free, ${percent}% of the disk.`;
  const fix =
    'Free space on the disk that holds the data folder, or move the folder to a larger one.';
  if (freeBytes < filesAnAnalysis * maxUploadBytes) return failed(message, fix);
  const isScarce = freeBytes < comfortableBytes || freeBytes < comfortableShare * totalBytes;
  return isScarce ? warning(message, fix) : ok(message);
}

const dayMs = 86_400_000;
const soonDays = 14;
const renew = 'Renew the --tls-cert and --tls-key files. A running server reloads them.';

/** Checks the certificate's dates, key and names as clients do. Whether clients trust its issuer cannot be checked. */
export function checkCertificate(
  settings: Pick<Settings, 'behindProxy' | 'publicUrl' | 'tlsCert' | 'tlsKey'>,
  now: Date,
): Diagnosis {
  const { ok, warning, failed } = diagnose('certificate');
  const { behindProxy, publicUrl, tlsCert, tlsKey } = settings;
  if (behindProxy) return ok('The proxy has its own certificate; this server needs none.');
  if (tlsCert === null || tlsKey === null) return ok('The server makes its own and renews it.');
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(readFileSync(tlsCert));
    const key = createPrivateKey(readFileSync(tlsKey));
    if (!certificate.checkPrivateKey(key))
      return failed('Its private key does not match it.', renew);
  } catch {
    return failed('The certificate or its private key cannot be read.', renew);
  }
  const { validFromDate, validToDate } = certificate;
  const day = validToDate.toISOString().slice(0, 10);
  if (validToDate <= now) return failed(`It expired on ${day}.`, renew);
  const clock = "Set this machine's clock, or wait.";
  if (validFromDate > now) return failed('It is not valid yet.', clock);
  if (publicUrl !== null) {
    const { hostname } = new URL(publicUrl);
    const host = hostname.replace(/^\[|\]$/g, '');
    const found = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
    if (found === undefined) return failed(`It is not valid for ${hostname}.`, renew);
  }
  const isEnding = validToDate.getTime() - now.getTime() < soonDays * dayMs;
  return isEnding ? warning(`It expires on ${day}.`, renew) : ok(`Valid until ${day}.`);
}

/** Reads the whole file with all indexes, which takes some seconds for a large one. */
export function checkDatabase({ $client }: SqliteDb): Diagnosis {
  const { ok, failed } = diagnose('database');
  try {
    const problems = problemsIn($client);
    if (problems.length > 0) return failed(problems.join(' '), restore);
    return ok('It opens, and its pages, indexes and references are intact.');
  } catch (error) {
    const trouble = toSqliteError(error);
    return failed(messageOf(trouble), fixFor(trouble));
  }
}

/** Reads every file of every model and compares its hash with the manifest. */
export async function checkModels(extra: string | null): Promise<Diagnosis> {
  const { ok, failed } = diagnose('models');
  try {
    const verified = await createRegistry({ extra }).verify(null);
    return ok(`Every file of ${verified.map(({ id }) => id).join(', ')} matches its manifest.`);
  } catch (error) {
    const fix = 'Reinstall forensics, or restore the files of your own models folder.';
    return failed(messageOf(error), fix);
  }
}

/** Whether committed data survives a power cut. @throws {ForensicsError} if the database does not respond. */
export async function checkPostgres(db: Db): Promise<Diagnosis> {
  const [row] = await db.values<string[]>(sql`SELECT
    current_setting('server_version'),
    current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit')`);
  const [version = '', fsync, full_page_writes, synchronous_commit] = row!;
  const settings = { fsync, full_page_writes, synchronous_commit };
  const { ok, failed } = diagnose('database');
  const unsafe = Object.entries(settings).flatMap(([name, value]) => (value === 'off' ? name : []));
  if (unsafe.length === 0) return ok(`PostgreSQL ${version}; transactions survive a power cut.`);
  return failed(
    `A power cut could lose committed data: ${unsafe.join(', ')} is off.`,
    `Switch it on in postgresql.conf: ${unsafe[0]} = on`,
  );
}

export type State = 'ok' | 'warning' | 'failed';

export interface Diagnosis {
  readonly name: string;
  /** Null for checks that concern all tenants. */
  readonly tenant: string | null;
  readonly state: State;
  /** One sentence, without secrets or signed URLs. */
  readonly message: string;
  /** The command or step that fixes it; null if all is well. */
  readonly fix: string | null;
}

export function diagnose(name: string, tenant: string | null = null) {
  const judge =
    (state: State) =>
    (message: string, fix: string): Diagnosis => ({ name, tenant, state, message, fix });
  return {
    ok: (message: string): Diagnosis => ({ name, tenant, state: 'ok', message, fix: null }),
    warning: judge('warning'),
    failed: judge('failed'),
  };
}

/** Our own errors explain the cause in their message. Of other errors, only the name is safe to print. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'It failed for an unknown reason.';
  if (error.name === 'ForensicsError') return error.message;
  const code = 'code' in error ? String(error.code) : error.name;
  return `It failed (${code}).`;
}

const restoring = 'a backup of the data folder: forensics restore FILE --data-dir DIR';
const restore = `Restore ${restoring}`;

const fixes: Partial<Record<ErrorCode, string>> = {
  database_damaged: restore,
  config_invalid: 'Correct the setting named above, or restore the right master key.',
  no_space_left: 'Free space on the disk that holds the data folder.',
  file_not_readable: 'Run it as the user who runs the server: sudo -u <user> forensics doctor',
  schema_newer: 'Install the newer version again: npm i -g forensics',
  store_unavailable:
    'Check the disk that holds the data folder, and try again when nothing else is using it.',
};

// Restoring a backup does not help on a failing disk, and may lose the backup too.
const unknown = `Check the disk and the system log first; only if both look fine, restore ${restoring}`;

export function fixFor(error: unknown): string {
  return (error instanceof ForensicsError ? fixes[error.code] : undefined) ?? unknown;
}
