/** `forensics audit`: the log of what was done on this machine, for each tenant and for the service. */

import { type Command, InvalidArgumentError } from 'commander';
import { type CheckedFile, checkFiles } from '../../service/analyses/evidence.ts';
import { type Core, keptTenantNamed } from '../../service/core.ts';
import { openBlobs } from '../../service/storage.ts';
import { type Entry, parseEntry, serviceChain } from '../../service/audit/entry.ts';
import { type Verification, verifyLines } from '../../service/audit/verify.ts';
import { ForensicsError } from '../../errors.ts';
import { usageError } from '../errors.ts';
import { readText } from '../input.ts';
import { examples, type LocalOptions } from '../options.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { listTable } from '../output/layout.ts';
import { withLocalCore } from '../connection/local.ts';

export function defineAudit(audit: Command): void {
  audit.addHelpText(
    'after',
    `
Each tenant has a log of its own; --service means that of people, master key and signing key.

Examples:
  $ forensics audit verify
  $ forensics audit list --tenant acme --analysis 65f000000000000000000001`,
  );
  describeVerify(local(chosen(audit.command('verify'))));
  describeHead(local(chosen(audit.command('head'))));
  selected(
    local(
      chosen(
        audit
          .command('list')
          .description('List entries, oldest first.')
          .addHelpText(
            'after',
            examples('audit list --tenant acme --since 2026-01-01', 'audit list --service --json'),
          ),
      ),
    ),
  ).action(async (_own: unknown, command: Command) => {
    await list(command.optsWithGlobals<ListOptions>());
  });
  describeExport(local(chosen(audit.command('export')), { json: false }));
  describeFiles(local(audit.command('files')));
}

function describeVerify(command: Command): void {
  command
    .description('Check that no entry was changed, removed, reordered or inserted.')
    .option('--head <hash>', 'the hash of an entry that was noted elsewhere', parseHash)
    .option('--file <file>', 'a file that "audit export" made, instead of a data folder')
    .addHelpText(
      'after',
      `
Without --tenant and --service every log is checked; the exit code is 7 when one is broken. Whoever can write to the
database can write a log anew from any entry on: only a hash that was noted elsewhere ("audit head") tells then.

Examples:
  $ forensics audit verify
  $ forensics audit verify --tenant acme --json`,
    )
    .action(async (_own: unknown, called: Command) => {
      await verify(called.optsWithGlobals<VerifyOptions>());
    });
}

function describeHead(command: Command): void {
  command
    .description('Print the hash of the last entry, to note it elsewhere.')
    .addHelpText('after', examples('audit head', 'audit head --tenant acme'))
    .action(async (_own: unknown, called: Command) => {
      await printHead(called.optsWithGlobals<HeadOptions>());
    });
}

function describeExport(command: Command): void {
  command
    .description('Print a log as it is hashed: one line of JSON per entry.')
    .addHelpText(
      'after',
      `
The SHA-256 of each line, without its end, stands as "previous" in the next; "audit verify --file" checks that.

Examples:
  $ forensics audit export --tenant acme > acme.jsonl
  $ forensics audit export --service > service.jsonl`,
    )
    .action(async (_own: unknown, called: Command) => {
      await exportLines(called.optsWithGlobals<AuditOptions>());
    });
}

function describeFiles(command: Command): void {
  command
    .description('Compare the stored files of an analysis with the hashes in the log.')
    .addHelpText(
      'after',
      examples(
        'audit files --tenant acme --analysis 65f000000000000000000001',
        'audit files --tenant acme --analysis 65f000000000000000000001 --json',
      ),
    )
    .requiredOption('--tenant <name>', 'the tenant')
    .requiredOption('--analysis <id>', 'the analysis')
    .action(async (_own: unknown, called: Command) => {
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

function parseHash(text: string): string {
  const lower = text.trim().toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(lower)) {
    throw new InvalidArgumentError('It must be 64 hexadecimal digits.');
  }
  return lower;
}

function date(text: string): Date {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) {
    throw new InvalidArgumentError('It must be a date such as 2026-03-01.');
  }
  return at;
}

/** Which log is meant. */
interface AuditOptions extends LocalOptions {
  readonly tenant?: string;
  readonly service: boolean;
}

interface HeadOptions extends AuditOptions {
  readonly json: boolean;
}

interface ListOptions extends HeadOptions {
  readonly analysis?: string;
  readonly since?: Date;
}

/** A log, by the name that people know. */
interface NamedChain {
  readonly chain: string;
  /** Name of the tenant, `service`, or the id where there is no such tenant. */
  readonly name: string;
}

/** @throws {ForensicsError} `usage` unless one is named, `tenant_not_found`. */
async function oneChain(core: Core, options: AuditOptions): Promise<NamedChain> {
  const { tenant, service } = options;
  if ((tenant === undefined) === !service) throw usageError('Give --tenant <name> or --service.');
  if (tenant === undefined) return { chain: serviceChain, name: serviceChain };
  // Of a tenant of which no row is left, its id is all that is known.
  const isKept = /^[0-9a-f]{24}$/.test(tenant) && (await core.audit.chains()).includes(tenant);
  return { chain: isKept ? tenant : (await keptTenantNamed(core, tenant)).id, name: tenant };
}

/** The one that is named, or all. @throws {ForensicsError} as above. */
async function chainsOf(core: Core, options: AuditOptions): Promise<readonly NamedChain[]> {
  if (options.tenant !== undefined || options.service) return [await oneChain(core, options)];
  const tenants = [...(await core.tenants.list()), ...(await core.tenants.listDeleted())];
  return (await core.audit.chains()).map((chain) => {
    return { chain, name: tenants.find(({ id }) => id === chain)?.name ?? chain };
  });
}

interface FilesOptions extends LocalOptions {
  readonly tenant: string;
  readonly analysis: string;
  readonly json: boolean;
}

const words = {
  as_recorded: 'as recorded',
  changed: 'CHANGED',
  missing: 'MISSING',
  not_recorded: 'older than the log',
} as const satisfies Record<CheckedFile['state'], string>;

/** @throws {ForensicsError} `evidence_damaged` when a file is not what was written; `analysis_not_found`. */
async function files(options: FilesOptions): Promise<void> {
  const checked = await withLocalCore(options, async (core, settings) => {
    const { id: tenantId } = await keptTenantNamed(core, options.tenant);
    const { stores } = openBlobs({ settings, core, now, onError: raise });
    const { db } = core.database;
    return checkFiles({ db, stores }, { tenantId, analysisId: options.analysis });
  });
  if (options.json) printJson(checked);
  else print(listTable(['file', 'state', 'SHA-256 in the log'], checked.map(fileRow)));
  const wrong = checked.filter(({ state }) => state === 'changed' || state === 'missing');
  if (wrong.length === 0) return;
  const names = wrong.map(({ name }) => name).join(', ');
  throw new ForensicsError('evidence_damaged', `Not as the service wrote it: ${names}.`);
}

function fileRow({ name, state, recorded }: CheckedFile): string[] {
  return [name, words[state], recorded ?? ''];
}

const now = () => new Date();

function raise(error: unknown): never {
  throw error;
}

async function printHead(options: HeadOptions): Promise<void> {
  const heads = await withLocalCore(options, async (core) => {
    const chains = await chainsOf(core, options);
    const found = [];
    for (const { chain, name } of chains) found.push({ name, ...(await core.audit.head(chain)) });
    return found;
  });
  if (options.json) return printJson(heads);
  const rows = heads.map(({ name, count, hash }) => [name, String(count), hash]);
  print(listTable(['log', 'entries', 'hash of the last'], rows));
}

/** `forensics audit list` prints for people, `forensics audit export` for tools that recompute the hashes. */
async function list(options: ListOptions): Promise<void> {
  const { analysis, since } = options;
  const entries = await withLocalCore(options, async (core) => {
    const { chain } = await oneChain(core, options);
    const lines = await core.audit.read({
      chain,
      ...(analysis === undefined ? {} : { subject: analysis }),
      ...(since === undefined ? {} : { since }),
    });
    return lines.map((line) => ({ ...parseEntry(line), hash: line.hash }));
  });
  if (options.json) return printJson(entries);
  if (entries.length === 0) return log('There are no entries.');
  const head = ['entry', 'time', 'by', 'event', 'subject', 'details'];
  print(listTable(head, entries.map(entryRow)));
}

async function exportLines(options: AuditOptions): Promise<void> {
  await withLocalCore(options, async (core) => {
    const { chain } = await oneChain(core, options);
    for await (const { text } of core.audit.lines(chain)) print(text);
  });
}

function entryRow({ seq, at, actor, event, subject, details }: Entry): string[] {
  const by = actor.id === null ? actor.type : `${actor.type} ${actor.id}`;
  const told = Object.entries(details).map(([name, value]) => `${name}=${shortened(value)}`);
  return [String(seq), at, by, event, subject ?? '', told.join(' ')];
}

const shownOfHash = 12;

/** The whole of it is in the JSON. */
function shortened(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object' && value !== null) return `${Object.keys(value).length} files`;
  const text = String(value);
  return /^[0-9a-f]{32,}$/.test(text) ? `${text.slice(0, shownOfHash)}...` : text;
}

/** `forensics audit verify` checks every log, one log, or an exported file. */
interface VerifyOptions extends HeadOptions {
  /** 64 lower-case hexadecimal digits. */
  readonly head?: string;
  readonly file?: string;
}

type Verified = Verification & { readonly name: string };

/** @throws {ForensicsError} `audit_broken`, `usage`. */
async function verify(options: VerifyOptions): Promise<void> {
  const { file } = options;
  const verified = file === undefined ? await verifyHere(options) : await verifyFile(file, options);
  if (options.json) printJson(verified);
  else for (const one of verified) print(wordsFor(one));
  const broken = verified.filter(({ broken: found }) => found !== null);
  if (broken.length > 0) throw brokenLogs(broken);
  if (options.head !== undefined || options.json) return;
  const isCut = file === undefined ? '' : ' or one that was cut off';
  log(`Only a hash that was noted elsewhere (--head) reveals a log that was rewritten${isCut}.`);
}

async function verifyHere(options: VerifyOptions): Promise<readonly Verified[]> {
  const { head, tenant, service } = options;
  if (head !== undefined && tenant === undefined && !service) {
    throw usageError('A hash belongs to one log: add --tenant <name> or --service.');
  }
  return withLocalCore(options, async (core) => {
    const chains = await chainsOf(core, options);
    const verified = [];
    for (const { chain, name } of chains) {
      verified.push({
        name,
        ...(await core.audit.verify(chain, head === undefined ? {} : { head })),
      });
    }
    return verified;
  });
}

async function verifyFile(file: string, options: VerifyOptions): Promise<readonly Verified[]> {
  const { head, tenant, service } = options;
  if (tenant !== undefined || service) throw usageError('--file needs no --tenant, no --service.');
  const lines = (await readText(file)).split('\n').filter((line) => line !== '');
  return [{ name: file, ...(await verifyLines(lines, head === undefined ? {} : { head })) }];
}

function wordsFor({ name, count, head, broken, notedSeq }: Verified): string {
  const held = count === 1 ? '1 entry holds' : `${count} entries hold`;
  if (broken !== null) {
    const before = broken.seq === null ? '' : ` Before it ${held}.`;
    return `${name}: BROKEN. ${broken.explanation}${before}`;
  }
  if (count === 0) return `${name}: nothing was logged yet.`;
  const last = `${name}: ${held} together. The last has the hash ${head}.`;
  if (notedSeq === null) return last;
  return `${last} The noted hash is that of entry ${notedSeq}: nothing up to there was changed.`;
}

function brokenLogs(broken: readonly Verified[]): ForensicsError {
  const [first] = broken;
  const seq = first?.broken?.seq ?? null;
  const where = seq === null ? '' : ` at entry ${seq}`;
  const others = broken.length === 1 ? '' : `, and ${broken.length - 1} more`;
  return new ForensicsError(
    'audit_broken',
    `The audit log of ${first?.name} is broken${where}${others}. Compare it with a backup.`,
  );
}
