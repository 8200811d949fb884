import { type BigIntStatsFs, statSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../contract/config.ts';

import { toSqliteError } from '../../ports/db/errors.ts';
import { engineVersion, type SqliteDb } from '../../ports/db/sqlite.ts';
import { createRegistry } from '../../inference/registry.ts';
import { loadRuntime } from '../../inference/runtime.ts';
import { diagnose, type Diagnosis, fixFor, messageOf, restore } from './diagnosis.ts';

/** As `engines` in package.json. */
const leastNode = [22, 18] as const;

export async function checkRuntime(): Promise<readonly Diagnosis[]> {
  return [judgeNode(process.versions.node), ...(await checkModules())];
}

/** @param version - such as `24.1.0`. */
export function judgeNode(version: string): Diagnosis {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNewEnough = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1]);
  const { ok, failed } = diagnose('Node.js');
  return isNewEnough
    ? ok(`Version ${version}.`)
    : failed(`Version ${version} is too old.`, `Install Node.js ${leastNode.join('.')} or newer.`);
}

const reinstallProgram = 'Reinstall forensics on this machine: npm i -g forensics';

/** Those with a native part, which fits one system and one processor. */
async function checkModules(): Promise<readonly Diagnosis[]> {
  return Promise.all([
    check('image codecs', reinstallProgram, async () => {
      // Only here: a missing binary already fails at the import.
      await import('../../image/codec.ts');
      return 'The native module loads.';
    }),
    check('ONNX Runtime', 'npm install -g onnxruntime-node', async () => {
      const { version } = await loadRuntime();
      return `Version ${version} loads.`;
    }),
    check('SQLite', reinstallProgram, async () => `Version ${engineVersion()} loads.`),
  ]);
}

async function check(name: string, fix: string, load: () => Promise<string>): Promise<Diagnosis> {
  const { ok, failed } = diagnose(name);
  try {
    return ok(await load());
  } catch (error) {
    return failed(messageOf(error), fix);
  }
}

type FolderSettings = Pick<Settings, 'dataDir' | 'maxUploadBytes'>;

export async function checkFolder(settings: FolderSettings): Promise<readonly Diagnosis[]> {
  const { dataDir, maxUploadBytes } = settings;
  const { bavail, blocks, bsize }: BigIntStatsFs = await statfs(dataDir, { bigint: true });
  const space = { freeBytes: Number(bavail * bsize), totalBytes: Number(blocks * bsize) };
  return [await checkRights(dataDir), judgeSpace(space, maxUploadBytes)];
}

/** Files that only the owner may read; others may not even enter the folder. */
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

async function checkRights(dataDir: string): Promise<Diagnosis> {
  const { ok, failed } = diagnose('data folder');
  const open = privateNames.filter((name) => isOpenToOthers(join(dataDir, name)));
  if (open.length > 0) {
    const names = open.map((name) => (name === '' ? 'the folder itself' : name)).join(', ');
    return failed(`Other users can read it: ${names}.`, `chmod -R go-rwx '${dataDir}'`);
  }
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok('Only its owner may read it.');
  } catch {
    return failed(
      'You may not write to it.',
      'Run as the user who owns the folder, or choose another with --data-dir.',
    );
  }
}

function isOpenToOthers(path: string): boolean {
  // Windows has other rights, which the mode does not show.
  if (process.platform === 'win32') return false;
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o077) !== 0;
}

// An upload, the copy of it that is examined, and what the database writes beside.
const filesAnAnalysis = 3;
// Below either, systems and databases begin to suffer.
const comfortableBytes = 1e9;
const comfortableShare = 0.05;

interface Space {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Whether there is room: for one analysis of the largest picture at least, and for what comes after it. */
export function judgeSpace({ freeBytes, totalBytes }: Space, maxUploadBytes: number): Diagnosis {
  const { ok, warning, failed } = diagnose('free space');
  const percent = Math.floor((100 * freeBytes) / totalBytes);
  const told = `${Math.floor(freeBytes / 1e6)} MB are free, ${percent} % of the disk.`;
  const fix = 'Make room on the disk of the data folder, or move the folder to a larger one.';
  if (freeBytes < filesAnAnalysis * maxUploadBytes) return failed(told, fix);
  const isScarce = freeBytes < comfortableBytes || freeBytes < comfortableShare * totalBytes;
  return isScarce ? warning(told, fix) : ok(told);
}

/** Reads the whole file, with every index: some seconds for a large one. */
export function checkDatabase({ $client }: SqliteDb): Diagnosis {
  const { ok, failed } = diagnose('database');
  try {
    if ($client.pragma('integrity_check(1)', { simple: true }) !== 'ok') {
      return failed('It is damaged.', restore);
    }
    const orphans = $client.pragma('foreign_key_check');
    return Array.isArray(orphans) && orphans.length > 0
      ? failed(`Rows whose parent row is missing: ${orphans.length}.`, restore)
      : ok('It opens; its pages, indexes and references are in order.');
  } catch (error) {
    const trouble = toSqliteError(error);
    return failed(messageOf(trouble), fixFor(trouble));
  }
}

const restoreModels = 'Reinstall forensics, or put the files of your own models folder back.';

/** Reads every file of every model and compares its hash. */
export async function checkModels(extra: string | null): Promise<readonly Diagnosis[]> {
  const { ok, failed } = diagnose('models');
  try {
    const verified = await createRegistry({ extra }).verify(null);
    const ids = verified.map(({ id }) => id).join(', ');
    return [ok(`Every file of ${ids} is what its manifest says.`)];
  } catch (error) {
    return [failed(messageOf(error), restoreModels)];
  }
}
