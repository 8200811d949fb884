/**
 * Replaces the contents of a data folder with restored ones. Entries are moved one by one inside the data folder,
 * because it may be a mount point and its parent may belong to another user. A journal makes this atomic: until it is
 * written, nothing has changed; after that, the new contents apply, and the next process to open the folder finishes
 * the moves.
 */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { ForensicsError } from '../../errors.ts';
import { syncFolder } from '../files/atomic-write.ts';

interface Journal {
  /** Folder with the new contents. */
  readonly staging: string;
  /** Folder for the old contents; null if there are none. */
  readonly aside: string | null;
  /** Names of the old entries still to be moved aside. */
  readonly old: readonly string[];
}

const journalName = 'restore.json';
const stagingPrefix = '.restoring-';
const asidePrefix = 'before-restore-';
const lockPattern = /^serve\.lock/;

/** Names that a restore would have to move aside. */
export function contentOf(dataDir: string): readonly string[] {
  const names = readdirSync(dataDir).filter(
    (name) =>
      name !== journalName &&
      name !== 'lost+found' &&
      !lockPattern.test(name) &&
      !name.startsWith(stagingPrefix) &&
      !name.startsWith(asidePrefix),
  );
  return names.toSorted();
}

/** Creates a folder for the new contents, and removes what interrupted restores left behind. */
export function makeStaging(dataDir: string, at: Date): string {
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith(stagingPrefix)) rmSync(join(dataDir, name), { recursive: true });
  }
  const staging = join(dataDir, `${stagingPrefix}${timestamp(at)}`);
  mkdirSync(staging, { mode: 0o700 });
  return staging;
}

/** The point of no return. @returns the name of the folder with the old contents; null if there were none. */
export function putInPlace(dataDir: string, staging: string, at: Date): string | null {
  const old = contentOf(dataDir);
  const aside = old.length === 0 ? null : `${asidePrefix}${timestamp(at)}`;
  if (aside !== null) mkdirSync(join(dataDir, aside), { mode: 0o700 });
  writeJournal(dataDir, { staging: basename(staging), aside, old });
  finishPlacing(dataDir);
  return aside;
}

/** Whether a restore was interrupted after the point of no return. */
export function isHalfPlaced(dataDir: string): boolean {
  return existsSync(join(dataDir, journalName));
}

/** Finishes the moves in the journal. Only one process may call it at a time. */
export function finishPlacing(dataDir: string): void {
  const journal = readJournal(dataDir);
  const { staging, aside, old } = journal;
  if (aside !== null) {
    for (const name of old.filter((one) => existsSync(join(dataDir, one)))) {
      renameSync(join(dataDir, name), join(dataDir, aside, name));
    }
    syncFolder(join(dataDir, aside));
    // From now on, any entry found is a new one.
    writeJournal(dataDir, { ...journal, old: [] });
  }
  const folder = join(dataDir, staging);
  const fresh = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of fresh) renameSync(join(folder, name), join(dataDir, name));
  syncFolder(dataDir);
  rmSync(folder, { recursive: true, force: true });
  rmSync(join(dataDir, journalName));
  syncFolder(dataDir);
}

function writeJournal(dataDir: string, journal: Journal): void {
  const file = join(dataDir, journalName);
  const temporary = join(dataDir, journal.staging + '.json');
  writeFileSync(temporary, JSON.stringify(journal), { mode: 0o600, flush: true });
  syncFolder(dataDir);
  renameSync(temporary, file);
  syncFolder(dataDir);
}

function readJournal(dataDir: string): Journal {
  const text = readFileSync(join(dataDir, journalName), 'utf8');
  const journal = parsed(text);
  if (journal !== null) return journal;
  throw new ForensicsError(
    'config_invalid',
    `The file ${journalName} in the data folder is damaged: a restore was interrupted there. Restore into an empty folder.`,
  );
}

/** The files it lists are moved, so their names must be plain names inside this folder. */
function parsed(text: string): Journal | null {
  try {
    const { staging, aside, old }: Partial<Record<keyof Journal, unknown>> = JSON.parse(text);
    const isValid = isName(staging) && (aside === null || isName(aside)) && Array.isArray(old);
    return isValid && old.every(isName) ? { staging, aside, old } : null;
  } catch {
    return null;
  }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && basename(value) === value && value !== '..';
}

function timestamp(at: Date): string {
  return at.toISOString().replaceAll(':', '-');
}
