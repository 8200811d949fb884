import { type BigIntStatsFs, statSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../config.ts';
import { diagnose, type Diagnosis } from './diagnosis.ts';

type FolderSettings = Pick<Settings, 'dataDir' | 'maxUploadBytes'>;

export async function checkFolder(settings: FolderSettings): Promise<readonly Diagnosis[]> {
  const { dataDir, maxUploadBytes } = settings;
  const { bavail, blocks, bsize }: BigIntStatsFs = await statfs(dataDir, { bigint: true });
  const space = { freeBytes: Number(bavail * bsize), totalBytes: Number(blocks * bsize) };
  return [await checkRights(dataDir), judgeSpace(space, maxUploadBytes)];
}

export function isOfAnother(dataDir: string): boolean {
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid;
  return process.getuid !== undefined && owner !== undefined && owner !== process.getuid();
}

/** What nobody but the owner may read; others may not even enter the folder. */
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
    return failed(`Others may read it: ${names}.`, `chmod -R go-rwx '${dataDir}'`);
  }
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok('Only its owner may read it.');
  } catch {
    return failed(
      'This user may not write to it.',
      'Run as the user who owns the folder, or choose another with --data-dir.',
    );
  }
}

function isOpenToOthers(path: string): boolean {
  // Windows has other rights, which the mode does not tell.
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
