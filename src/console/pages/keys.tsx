/** API keys: create, copy once, rotate with a grace period, revoke. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { KeyEntry } from '../../contract/keys.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { type Fields, FormDialog, SelectField, TextField } from '../parts/form.tsx';
import { useTenantList } from '../parts/loading.ts';
import { Button, CopyButton, Dialog, PageTitle } from '../parts/pieces.tsx';
import { type Column, RowButton, Table, timeColumn } from '../parts/table.tsx';

const path = '/v1/auth/api';
const dayMs = 86_400_000;
const lives = [30, 90, 365] as const;
const graces = { hour: 3600, day: 86_400, week: 604_800 } as const;

export function KeysPage() {
  const { common, list, nav, keys, isManager } = useConsole();
  const [dialog, setDialog] = useState<ComponentChildren>(null);
  const loaded = useTenantList<KeyEntry>(path);
  const done = (secret: string | null) => {
    setDialog(secret && <SecretDialog secret={secret} onClose={() => setDialog(null)} />);
    loaded.reload();
  };
  const columns: readonly Column<KeyEntry>[] = [
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
    {
      head: null,
      cell: (key) => (
        <div class="row">
          {isManager && key.ended === null && (
            <RowButton
              label={keys.rotate}
              subject={key.name}
              onClick={() => setDialog(<RotateDialog entry={key} onDone={done} />)}
            />
          )}
          <RowButton
            label={keys.revoke}
            subject={key.name}
            onClick={() => setDialog(<RevokeDialog entry={key} onDone={done} />)}
          />
        </div>
      ),
    },
  ];
  return (
    <>
      <div class="row apart">
        <PageTitle text={nav.keys} />
        {isManager && (
          <Button kind="main" onClick={() => setDialog(<CreateDialog onDone={done} />)}>
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
    </>
  );
}

function SecretDialog({ secret, onClose }: { readonly secret: string; onClose: () => void }) {
  const { common, keys } = useConsole();
  return (
    <Dialog title={keys.secretTitle} onClose={onClose}>
      <p>{keys.secretHint}</p>
      <pre class="mono">{secret}</pre>
      <div class="row">
        <CopyButton text={secret} />
        <Button kind="main" onClick={onClose}>
          {common.close}
        </Button>
      </div>
    </Dialog>
  );
}

interface DialogProps {
  /** Called with the secret of the new key; null if none was created. */
  readonly onDone: (secret: string | null) => void;
}

async function make(body: object): Promise<string> {
  return (await ask<KeyEntry>(path, { body, idempotencyKey: crypto.randomUUID() })).secret;
}

function LifeField(props: { readonly value: string; readonly onValue: (days: string) => void }) {
  const { keys } = useConsole();
  const options = Object.fromEntries(lives.map((days) => [days, keys.dayCount(days)]));
  return <SelectField label={keys.days} options={options} {...props} />;
}

function expiryAfter(days: string): string {
  return new Date(Date.now() + Number(days) * dayMs).toISOString();
}

function CreateDialog({ onDone }: DialogProps) {
  const { keys, tenantName } = useConsole();
  const [days, setDays] = useState('90');
  const send = async ({ name }: Fields): Promise<void> =>
    onDone(await make({ tenantName, name, expiresAt: expiryAfter(days) }));
  return (
    <FormDialog title={keys.create} act={keys.create} onDone={onDone} send={send}>
      <TextField label={keys.newName} name="name" required maxLength={255} />
      <LifeField value={days} onValue={setDays} />
    </FormDialog>
  );
}

function RotateDialog({ entry, onDone }: DialogProps & { readonly entry: KeyEntry }) {
  const { keys, tenantName } = useConsole();
  const [days, setDays] = useState('90');
  const [grace, setGrace] = useState<keyof typeof graces>('day');
  const send = async (): Promise<void> => {
    const replaces = { uuid: entry.uuid };
    const graceSeconds = graces[grace];
    onDone(await make({ tenantName, replaces, expiresAt: expiryAfter(days), graceSeconds }));
  };
  return (
    <FormDialog title={keys.rotateTitle(entry.name)} act={keys.rotate} onDone={onDone} send={send}>
      <p>{keys.rotateHint}</p>
      <LifeField value={days} onValue={setDays} />
      <SelectField label={keys.grace} options={keys.graces} value={grace} onValue={setGrace} />
    </FormDialog>
  );
}

function RevokeDialog({ entry, onDone }: DialogProps & { readonly entry: KeyEntry }) {
  const { keys, tenantName } = useConsole();
  const send = async (): Promise<void> => {
    // The body is sent only for its content type, without which the server treats the request as cross-site.
    await ask(path, { method: 'DELETE', query: { tenantName, uuid: entry.uuid }, body: {} });
    onDone(null);
  };
  return (
    <FormDialog
      title={keys.revokeTitle(entry.name)}
      act={keys.revoke}
      isDanger
      onDone={onDone}
      send={send}
    >
      <p>{keys.revokeHint}</p>
    </FormDialog>
  );
}
