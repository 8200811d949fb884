/** `forensics audit`: the audit logs of this machine, one for each tenant and one for the service. */

import { InvalidArgumentError } from 'commander';
import { type Core, keptTenantNamed } from '../../service/core.ts';
import { parseEntry, serviceChain } from '../../service/audit/entry.ts';
import type { Verification } from '../../service/audit/log.ts';
import { withoutUndefined } from '../../contract/common.ts';
import { auditBroken, ForensicsError, usageError } from '../../contract/errors.ts';
import { type Command, type LocalOptions, parseDay } from '../options.ts';
import { log, print, printJson } from '../output/terminal.ts';
import { printList } from '../output/layout.ts';
import { withLocalCore } from '../connection/local.ts';

export function defineAudit(audit: Command): void {
  audit
    .helpAfter(`
Each tenant has its own log; --service is the log of accounts, the master key and the signing key.`)
    .examples('verify', 'list --tenant acme --analysis 65f000000000000000000001');
  logCommand(audit, 'verify', 'Check that no entry was changed, removed, reordered or inserted.')
    .option('--head <hash>', 'the hash of an entry, from a copy kept elsewhere', parseHash)
    .helpAfter(`
Without --tenant or --service, every log is checked; the exit code is 7 if one is broken. Anyone who can write to the
database can rewrite a log from any entry onwards; only a hash that you stored elsewhere reveals that.`)
    .examples('', '--tenant acme --json')
    .action(verify);
  logCommand(audit, 'list', 'List entries, oldest first.')
    .examples('--tenant acme --since 2026-01-01', '--service --json')
    .option('--analysis <id>', 'only entries about this analysis')
    .option(
      '--since <date>',
      'only entries from this date or time onwards, such as 2026-03-01',
      parseDay,
    )
    .action(list);
}

function logCommand(audit: Command, name: string, description: string): Command {
  return audit
    .localCommand(name, description)
    .option('--tenant <name>', "this tenant's log")
    .option('--service', "the service's log", false);
}

function parseHash(text: string): string {
  const lower = text.trim().toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(lower)) {
    throw new InvalidArgumentError('It must be 64 hexadecimal digits.');
  }
  return lower;
}

interface LogOptions extends LocalOptions {
  readonly tenant?: string;
  readonly service: boolean;
}

/** The log named in the options. `name`: of the tenant, `service`, or the id if the tenant no longer exists. */
async function oneChain(core: Core, { tenant, service }: LogOptions) {
  if ((tenant === undefined) === !service) throw usageError('Give --tenant <name> or --service.');
  if (tenant === undefined) return { chain: serviceChain, name: serviceChain };
  // If a tenant was purged, only its id is known.
  const isKept = /^[0-9a-f]{24}$/.test(tenant) && (await core.audit.chains()).includes(tenant);
  return { chain: isKept ? tenant : (await keptTenantNamed(core, tenant)).id, name: tenant };
}

async function chosenChains(core: Core, options: LogOptions) {
  if (options.tenant !== undefined || options.service) return [await oneChain(core, options)];
  const tenants = [...(await core.tenants.list()), ...(await core.tenants.listDeleted())];
  return (await core.audit.chains()).map((chain) => {
    return { chain, name: tenants.find(({ id }) => id === chain)?.name ?? chain };
  });
}

async function list(
  options: LogOptions & { readonly analysis?: string; readonly since?: string },
): Promise<void> {
  const { analysis, since } = options;
  const entries = await withLocalCore(options, async (core) => {
    const { chain } = await oneChain(core, options);
    const lines = await core.audit.read({
      chain,
      ...(analysis === undefined ? {} : { subject: analysis }),
      ...(since === undefined ? {} : { from: new Date(since) }),
    });
    return lines.map((line) => ({ ...parseEntry(line), hash: line.hash }));
  });
  printList(
    entries,
    {
      entry: ({ seq }) => String(seq),
      time: ({ at }) => at,
      by: ({ actor }) => (actor.id === null ? actor.type : `${actor.type} ${actor.id}`),
      event: ({ event }) => event,
      subject: ({ subject }) => subject ?? '',
      details: ({ details }) =>
        Object.entries(details)
          .map(([name, value]) => `${name}=${shorten(value)}`)
          .join(' '),
    },
    { ...options, none: 'There are no entries.' },
  );
}

/** Shortens hashes and counts files; the JSON output has everything. */
function shorten(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object' && value !== null) return `${Object.keys(value).length} files`;
  const text = String(value);
  return /^[0-9a-f]{32,}$/.test(text) ? `${text.slice(0, 12)}...` : text;
}

type Verified = Verification & { readonly name: string };

async function verify(options: LogOptions & { readonly head?: string }): Promise<void> {
  const { head, tenant, service } = options;
  if (head !== undefined && tenant === undefined && !service) {
    throw usageError('A hash belongs to one log: add --tenant <name> or --service.');
  }
  const verified = await withLocalCore(options, async (core) => {
    const found: Verified[] = [];
    for (const { chain, name } of await chosenChains(core, options)) {
      found.push({ name, ...(await core.audit.verify(chain, withoutUndefined({ head }))) });
    }
    return found;
  });
  if (options.json) printJson(verified);
  else for (const one of verified) print(describeResult(one));
  const broken = verified.filter(({ broken: found }) => found !== null);
  if (broken.length > 0) throw brokenLogs(broken);
  if (head !== undefined || options.json) return;
  log('Only a hash stored elsewhere (--head) can reveal that a log was rewritten.');
}

function describeResult({ name, count, head, broken, notedSeq }: Verified): string {
  const entries = count === 1 ? '1 entry is' : `${count} entries are`;
  if (broken !== null) {
    const before = broken.seq === null ? '' : ` Before it, ${entries} intact.`;
    return `${name}: BROKEN. ${broken.explanation}${before}`;
  }
  if (count === 0) return `${name}: nothing has been logged yet.`;
  const last = `${name}: ${entries} intact. The last has the hash ${head}.`;
  if (notedSeq === null) return last;
  return `${last} The stored hash belongs to entry ${notedSeq}: nothing up to that entry has changed.`;
}

function brokenLogs(broken: readonly Verified[]): ForensicsError {
  const [first] = broken;
  const seq = first?.broken?.seq ?? null;
  const where = seq === null ? '' : ` at entry ${seq}`;
  const others = broken.length === 1 ? '' : `, and ${broken.length - 1} more`;
  return auditBroken(
    `The audit log of ${first?.name} is broken${where}${others}. Compare it with a backup.`,
  );
}
