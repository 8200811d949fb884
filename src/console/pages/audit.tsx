/** The audit log of the tenant: filter it, and save what matches. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { AuditEntry } from '../../contract/tenant.ts';
import type { KeyEntry } from '../../contract/keys.ts';
import type { TenantPerson } from '../../contract/auth.ts';
import type { CsvValue } from '../../present/csv.ts';
import { dayStart } from '../api/analyses.ts';
import { type Ask, ask } from '../api/client.ts';
import { nameIn } from '../../present/text.ts';
import { useConsole } from '../context.ts';
import { saveCsv } from '../parts/files.tsx';
import { type Fields, PeriodFields, SelectField, useAct } from '../parts/form.tsx';
import { useLoaded, useTenantData } from '../parts/loading.ts';
import { Button, PageTitle, Time } from '../parts/pieces.tsx';
import { type Column, FilterForm, Pager, pageSize, Table } from '../parts/table.tsx';

/** Its entries come newest first. */
const path = '/v1/tenant/audit';
const largestPage = 1000;

export function AuditPage() {
  const { nav, audit, list, tenantName } = useConsole();
  const [filters, setFilters] = useState<Fields>({});
  const { isBusy, run } = useAct();
  /** The last entry of each newer page. */
  const [newer, setNewer] = useState<readonly number[]>([]);
  const before = newer.at(-1);
  const { kind = '', from, to } = filters;
  // In ISO 8601, from the days in the user's time zone.
  const asked = { event: kind, from: dayStart(from, 0), to: dayStart(to, 1) };
  const query = { ...asked, before, limit: pageSize };
  const loaded = useTenantData<readonly AuditEntry[]>(path, query);
  const change = (next: Fields) => {
    setFilters(next);
    setNewer([]);
  };
  const isFiltered = Object.values(filters).some((value) => value !== '');
  const columns = useColumns();
  const save = () => run(() => saveEntries(tenantName, asked));
  const { data } = loaded;
  const last = data?.length === pageSize ? data.at(-1)!.seq : null;
  return (
    <>
      <PageTitle text={nav.audit} />
      <p class="soft">{audit.intro}</p>
      <section class="panel flush" aria-label={nav.audit}>
        <FilterForm isFiltered={isFiltered} onFields={change}>
          <SelectField
            label={audit.kind}
            name="kind"
            options={{ '': list.any, ...audit.kinds }}
            value={kind}
          />
          <PeriodFields period={filters} />
        </FilterForm>
        <div class="toolbar row apart">
          <Button kind="little" disabled={isBusy} onClick={save}>
            {list.csvAll}
          </Button>
          <Pager
            newer={newer.length === 0 ? null : () => setNewer(newer.slice(0, -1))}
            older={last === null ? null : () => setNewer([...newer, last])}
          />
        </div>
        <Table loaded={loaded} empty={audit.empty} columns={columns} keyOf={({ seq }) => seq} />
      </section>
    </>
  );
}

function useColumns(): readonly Column<AuditEntry>[] {
  const { audit } = useConsole();
  const named = useNames();
  return [
    { head: '#', class: 'small soft', cell: ({ seq }) => seq },
    { head: audit.time, class: 'small', cell: ({ at }) => <Time at={at} /> },
    { head: audit.event, cell: ({ event }) => nameIn(audit.events, event, event) },
    {
      head: audit.actor,
      class: 'small',
      cell: ({ actor }) => (
        <>
          {nameIn(audit.actors, actor.type, actor.type)}
          {actor.id !== null && named(actor.id)}
        </>
      ),
    },
    {
      head: audit.object,
      class: 'small',
      cell: ({ event, subject }) =>
        subject !== null && event.startsWith('analysis.') ? (
          <a class="mono" href={`#/analysis/${subject}`}>
            {subject}
          </a>
        ) : (
          subject !== null && named(subject)
        ),
    },
    { head: audit.details, class: 'small', cell: ({ details }) => <Details details={details} /> },
  ];
}

/** Shows the name of a user or key by id or, if there is none, the id itself. */
function useNames(): (id: string) => ComponentChildren {
  const { tenantName, identity } = useConsole();
  const { data } = useLoaded(`names ${tenantName}`, {
    load: async (signal) => {
      const query = { tenantName };
      const [keys, people] = await Promise.all([
        ask<readonly KeyEntry[]>('/v1/auth/api', { query, signal }),
        identity === 'oidc'
          ? []
          : ask<readonly TenantPerson[]>('/v1/tenant/user', { query, signal }),
      ]);
      return new Map([
        ...keys.map(({ uuid, name }) => [uuid, name] as const),
        ...people.map(({ id, name, email }) => [id, name ?? email] as const),
      ]);
    },
  });
  return (id) => {
    const name = data?.get(id);
    if (name === undefined) return <span class="mono soft"> {id}</span>;
    return <bdi title={id}> {name}</bdi>;
  };
}

function Details({ details }: { readonly details: Readonly<Record<string, unknown>> }) {
  const { audit } = useConsole();
  const entries = Object.entries(details);
  if (entries.length === 0) return null;
  return (
    <details>
      <summary>{audit.details}</summary>
      {entries.map(([name, value]) => (
        <p key={name} class="mono soft">
          {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
        </p>
      ))}
    </details>
  );
}

/** @param filters - in the names of the API. */
async function saveEntries(tenantName: string, filters: Ask['query']): Promise<void> {
  const rows: CsvValue[][] = [];
  let page: readonly AuditEntry[] = [];
  do {
    const query = { tenantName, ...filters, before: page.at(-1)?.seq, limit: largestPage };
    page = await ask<readonly AuditEntry[]>(path, { query });
    for (const { seq, at, actor, event, subject, details, hash } of page) {
      rows.push([seq, at, actor.type, actor.id, event, subject, JSON.stringify(details), hash]);
    }
  } while (page.length === largestPage);
  const head = ['seq', 'at', 'actor', 'actorId', 'event', 'subject', 'details', 'hash'];
  saveCsv('audit.csv', [head, ...rows]);
}
