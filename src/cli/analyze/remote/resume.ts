/**
 * What was begun on a server, a small file for each picture and its options, so that a run that was broken off can go on.
 * It is written before the request is sent: with the same request under the same key the server makes nothing twice,
 * whether the program was killed in between or two of them are at it.
 */

import { hash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { createBody, type CreateRequest } from '../../../contract/analysis.ts';
import { ForensicsError } from '../../../errors.ts';
import { makeOwnFolder, replaceFile, writeOnce } from '../../../ports/files/atomic-write.ts';
import { log, shellWord } from '../../output/terminal.ts';
import type { ServerOptions } from '../../options.ts';
import type { RemoteOptions } from './remote.ts';

export interface Entry {
  readonly request: CreateRequest;
  readonly idempotencyKey: string;
  /** Null until the server has sent it. */
  readonly analysisId: string | null;
}

export interface Journal {
  /** Forgets what was begun of this picture. */
  begin(sha256: string, request: CreateRequest): Entry;
  /** What was begun of it, else as `begin`. Another process that asks at the same time gets the same. */
  resume(sha256: string, request: CreateRequest): Entry;
  note(sha256: string, entry: Entry): void;
  forget(sha256: string, entry: Pick<Entry, 'request'>): void;
}

const entrySchema = Type.Object({
  request: Type.Omit(createBody, ['tenantName']),
  idempotencyKey: Type.String(),
  analysisId: Type.Union([Type.String(), Type.Null()]),
});

// A run that is three months old will not be resumed.
const keptMs = 90 * 24 * 60 * 60 * 1000;

/** @param tenant - of which server. @throws {ForensicsError} `config_invalid` where nothing can be stored. */
export function openJournal(
  tenant: { readonly origin: string; readonly tenantName: string },
  environment: NodeJS.ProcessEnv = process.env,
): Journal {
  const folder = join(
    stateFolder(environment),
    'uploads',
    digestOf([tenant.origin, tenant.tenantName]),
  );
  attempt(() => makeOwnFolder(folder));
  dropOld(folder);
  const fileOf = (sha256: string, { input }: CreateRequest) =>
    join(folder, `${digestOf([sha256, input.options])}.json`);

  const journal: Journal = {
    begin(sha256, request) {
      const entry = newEntry(request);
      journal.note(sha256, entry);
      return entry;
    },
    resume(sha256, request) {
      const file = fileOf(sha256, request);
      const entry = newEntry(request);
      if (read(file) === null) rmSync(file, { force: true });
      // Of two processes one writes; what it wrote counts for both.
      attempt(() => writeOnce(file, textOf(entry)));
      return read(file) ?? entry;
    },
    note: (sha256, entry) =>
      attempt(() => replaceFile(fileOf(sha256, entry.request), textOf(entry))),
    forget: (sha256, { request }) => rmSync(fileOf(sha256, request), { force: true }),
  };
  return journal;
}

/** By the rules of XDG: what a program may lose without harm, but rather would not. */
function stateFolder({ XDG_STATE_HOME }: NodeJS.ProcessEnv): string {
  const named = XDG_STATE_HOME ?? '';
  return join(named === '' ? join(homedir(), '.local', 'state') : named, 'forensics');
}

function newEntry(request: CreateRequest): Entry {
  return { request, idempotencyKey: randomUUID(), analysisId: null };
}

/** Null where nothing is, or nothing that this version wrote. */
function read(file: string): Entry | null {
  try {
    const entry: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Value.Check(entrySchema, entry) ? entry : null;
  } catch {
    // A file that is missing or unreadable counts as no earlier run.
    return null;
  }
}

function dropOld(folder: string): void {
  const oldest = Date.now() - keptMs;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found !== undefined && found.mtimeMs < oldest) rmSync(file, { force: true });
  }
}

function textOf(entry: Entry): string {
  return `${JSON.stringify(entry)}\n`;
}

function digestOf(values: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(values));
}

function attempt<T>(act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw new ForensicsError(
      'config_invalid',
      'The record of uploads cannot be written; set XDG_STATE_HOME to a folder that you may write to.',
      { cause },
    );
  }
}

/** Analyses whose results were not fetched; logged at the end, with the commands that fetch them. */
export interface Unfetched {
  add(analysisId: string): void;
  log(): void;
}

const maxLogged = 10;

export function createUnfetched(options: RemoteOptions): Unfetched {
  const ids = new Set<string>();
  return {
    add: (id) => void ids.add(id),
    log() {
      if (ids.size === 0) return;
      // Without waiting, the ids are the result.
      if (!options.wait) return log(`Fetch each with: ${fetchCommand('ID', options)}`);
      const many = ids.size === 1 ? 'one analysis' : `${ids.size} analyses`;
      log(`Not shown: ${many} on the server. Run the same command again with --resume, or fetch:`);
      for (const id of [...ids].slice(0, maxLogged)) log(`  ${fetchCommand(id, options)}`);
      if (ids.size > maxLogged) log(`  and ${ids.size - maxLogged} more`);
      return undefined;
    },
  };
}

/** What the environment names needs no flag. */
export function fetchCommand(
  analysisId: string,
  options: ServerOptions & { readonly tenant: string },
): string {
  const { tenant, url, profile, ca, fingerprint, apiKeyFile } = options;
  const flags = { tenant, url, profile, ca, fingerprint, 'api-key-file': apiKeyFile };
  const given = Object.entries(flags).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, shellWord(value)],
  );
  return ['forensics', 'report', analysisId, ...given, '--out', analysisId].join(' ');
}
