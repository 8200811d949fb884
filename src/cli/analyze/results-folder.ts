/** Result folders on disk, one per picture. Each is written under another name and renamed, so none is incomplete. */

import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { failure } from '../../contract/errors.ts';
import { formatOfName } from '../../image/file-kind.ts';
import { makeFolder, systemCodeOf, toOutputFailure, writing } from '../../ports/files/files.ts';
import { removeAtExit } from '../output/terminal.ts';
import type { AnalysisRecord } from './record.ts';

export type ResultsFolder = Awaited<ReturnType<typeof openResultsFolder>>;

/** @throws {ForensicsError} `output_not_writable`, `no_space_left`. */
export async function openResultsFolder(dir: string, { force }: { readonly force: boolean }) {
  await writing(async () => {
    makeFolder(resolve(dir));
    // An existing folder may not be writable; it is better to find out now than after the first picture.
    await rm(await mkdtemp(join(dir, '.forensics-')), { recursive: true });
  });
  return {
    /** Call this before the work begins. @throws {ForensicsError} `conflict` if `name` exists and may not be replaced. */
    check: (name: string) => checkFree(join(dir, name), force),
    /** @throws {ForensicsError} `conflict`, `no_space_left`, `output_not_writable`; then nothing is left behind. */
    write: (name: string, files: ReadonlyMap<string, Uint8Array | string>) =>
      writing(() => writeWhole(dir, name, files, force)),
  };
}

/** A file's name, safe for every system and unique regardless of case. The same pictures give the same names. */
export function createFolderNames(): (label: string) => string {
  const taken = new Set<string>();
  /** The last number used for each name, so that numbering thousands of pictures with the same name stays fast. */
  const last = new Map<string, number>();
  return (label) => {
    const base = safeName(label === '-' ? 'stdin' : basename(label));
    const key = base.toLowerCase();
    let n = last.get(key) ?? 1;
    const name = () => (n === 1 ? base : `${base}-${n}`);
    while (taken.has(name().toLowerCase())) n++;
    last.set(key, n);
    taken.add(name().toLowerCase());
    return name();
  };
}

/** Names that Windows does not allow, because a folder made on Linux may be copied there. */
const reservedName = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

function safeName(fileName: string): string {
  const isNamed = formatOfName(fileName) !== null;
  const name = Array.from(fileName.normalize('NFC').replace(isNamed ? /\.[^.]+$/ : '', ''))
    .slice(0, 60)
    .join('')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]/gu, '_')
    .replace(/^[.\s-]+/, '')
    .replace(/[.\s]+$/, '');
  return name === '' || reservedName.test(name) ? `picture-${name}`.replace(/-$/, '') : name;
}

async function writeWhole(
  dir: string,
  name: string,
  files: ReadonlyMap<string, Uint8Array | string>,
  force: boolean,
): Promise<readonly string[]> {
  const temporary = await mkdtemp(join(dir, '.forensics-'));
  const release = removeAtExit(temporary);
  try {
    const fresh = join(temporary, 'new');
    await mkdir(fresh);
    for (const [file, content] of files) {
      await writeFile(join(fresh, file), content, { flush: true });
    }
    await putInPlace(fresh, join(dir, name), join(temporary, 'old'), force);
  } finally {
    await rm(temporary, { recursive: true, force: true });
    release();
  }
  return [...files.keys()].map((file) => join(dir, name, file));
}

async function putInPlace(fresh: string, target: string, aside: string, force: boolean) {
  await checkFree(target, force);
  const hadOld = await rename(target, aside).then(
    () => true,
    () => false,
  );
  try {
    await rename(fresh, target);
  } catch (error) {
    if (hadOld) await rename(aside, target);
    throw error;
  }
}

/** `--force` replaces results, but never an unrelated folder of the same name. */
async function checkFree(target: string, force: boolean): Promise<void> {
  const names = await readdir(target).catch((error: unknown): string[] | null => {
    const code = systemCodeOf(error);
    if (code === 'ENOENT') return [];
    if (code === 'ENOTDIR') return null;
    throw toOutputFailure(error);
  });
  if (names?.length === 0) return;
  if (!names?.includes('result.json')) throw failure('holds_no_result', { folder: target });
  if (!force) throw failure('holds_result', { folder: target });
}

export type Files = readonly (readonly [name: string, content: Uint8Array])[];

/** Writes `result.json` and the rendered files. @returns the record with paths. @throws as `ResultsFolder.write`. */
export async function keepResults(
  results: ResultsFolder,
  folderName: string,
  record: AnalysisRecord,
  drawn: Files,
): Promise<AnalysisRecord> {
  // Names inside the folder are relative, so that it can be moved.
  const inFolder = { ...record, files: ['result.json', ...drawn.map(([name]) => name)] };
  const text = `${JSON.stringify(inFolder, null, 2)}\n`;
  const files = new Map<string, Uint8Array | string>([['result.json', text], ...drawn]);
  return { ...record, files: await results.write(folderName, files) };
}
