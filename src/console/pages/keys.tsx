/** API keys: create, copy once, rotate with a grace period, revoke. */

import { useState } from 'preact/hooks';
import type { KeyEntry } from '../../contract/keys.ts';
import { ask } from '../api/client.ts';
import { type Context, useConsole } from '../context.ts';
import { type Question, SelectField, TextField, useQuestion } from '../parts/form.tsx';
import { useTenantData } from '../parts/loading.ts';
import { type Act, Button, Dialog, PageTitle } from '../parts/pieces.tsx';
import { actsColumn, type Column, Table, timeColumn } from '../parts/table.tsx';

const path = '/v1/auth/api';
const dayMs = 86_400_000;

export function KeysPage() {
  const words = useConsole();
  const { common, nav, keys, isManager } = words;
  const [secret, setSecret] = useState<string | null>(null);
  const loaded = useTenantData<readonly KeyEntry[]>(path);
  const { ask: open, dialog } = useQuestion(loaded.reload);
  const actsOn = (key: KeyEntry): readonly Act[] => [
    isManager && key.ended === null && [keys.rotate, () => open(rotate(words, key, setSecret))],
    [keys.revoke, () => open(revoke(words, key))],
  ];
  const columns = [...useColumns(), actsColumn(actsOn, ({ name }) => name)];
  return (
    <>
      <div class="row apart">
        <PageTitle text={nav.keys} />
        {isManager && (
          <Button kind="main" onClick={() => open(create(words, setSecret))}>
            {keys.create}
          </Button>
        )}
      </div>
      <p class="soft">{keys.intro}</p>
      {!isManager && <p class="notice">{common.noRight}</p>}
      <section class="panel flush" aria-label={nav.keys}>
        <Table loaded={loaded} empty={keys.empty} columns={columns} keyOf={({ uuid }) => uuid} />
      </section>
      {dialog}
      {secret !== null && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}

function useColumns(): readonly Column<KeyEntry>[] {
  const { list, keys } = useConsole();
  return [
    {
      head: list.name,
      class: 'name',
      cell: ({ name, secret }) => (
        <>
          <bdi>{name}</bdi>
          <br />
          <span class="mono soft">{secret}</span>
        </>
      ),
    },
    {
      head: keys.state,
      cell: ({ ended }) => (
        <span class={`badge ${ended === null ? 'ok' : 'failed'}`}>
          {ended === null ? keys.works : keys.ends[ended]}
        </span>
      ),
    },
    timeColumn(keys.expires, ({ expiresAt }) => expiresAt, true),
    timeColumn(keys.lastUsed, ({ lastUsedDate }) => lastUsedDate, true),
  ];
}

function SecretDialog({ secret, onClose }: { readonly secret: string; onClose: () => void }) {
  const { common, keys, toast } = useConsole();
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(secret);
    toast(common.copied);
  };
  return (
    <Dialog title={keys.secretTitle} onClose={onClose}>
      <p>{keys.secretHint}</p>
      <pre class="mono">{secret}</pre>
      <div class="row">
        <Button onClick={() => void copy()}>{common.copy}</Button>
        <Button kind="main" onClick={onClose}>
          {common.close}
        </Button>
      </div>
    </Dialog>
  );
}

type OnSecret = (secret: string) => void;

async function make(key: object, days = ''): Promise<string> {
  const expiresAt = new Date(Date.now() + Number(days) * dayMs).toISOString();
  const question = { body: { ...key, expiresAt }, idempotencyKey: crypto.randomUUID() };
  return (await ask<KeyEntry>(path, question)).secret;
}

function LifeField() {
  const { keys } = useConsole();
  const options = { 30: keys.dayCount(30), 90: keys.dayCount(90), 365: keys.dayCount(365) };
  return <SelectField label={keys.days} name="days" options={options} value="90" />;
}

function create({ keys, tenantName }: Context, onSecret: OnSecret): Question {
  return {
    title: keys.create,
    act: keys.create,
    children: (
      <>
        <TextField label={keys.newName} name="name" required maxLength={255} />
        <LifeField />
      </>
    ),
    send: async ({ name, days }) => onSecret(await make({ tenantName, name }, days)),
  };
}

function rotate({ keys, tenantName }: Context, key: KeyEntry, onSecret: OnSecret): Question {
  const { hour, day, week } = keys.graces;
  const seconds = { 3600: hour, 86_400: day, 604_800: week };
  return {
    title: keys.rotateTitle(key.name),
    act: keys.rotate,
    children: (
      <>
        <p>{keys.rotateHint}</p>
        <LifeField />
        <SelectField label={keys.grace} name="grace" options={seconds} value="86400" />
      </>
    ),
    send: async ({ days, grace }) => {
      const replaces = { uuid: key.uuid };
      onSecret(await make({ tenantName, replaces, graceSeconds: Number(grace) }, days));
    },
  };
}

function revoke({ keys, tenantName }: Context, { name, uuid }: KeyEntry): Question {
  return {
    title: keys.revokeTitle(name),
    act: keys.revoke,
    kind: 'danger',
    children: <p>{keys.revokeHint}</p>,
    // The body is sent only for its content type, without which the server treats the request as cross-site.
    send: async () => ask(path, { method: 'DELETE', query: { tenantName, uuid }, body: {} }),
  };
}
