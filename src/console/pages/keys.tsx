/** API keys: create, copy once, rotate with a grace period, revoke. */

import { useState } from 'preact/hooks';
import type { KeyEntry } from '../../contract/keys.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { type Fields, FormDialog, SelectField, TextField } from '../parts/form.tsx';
import { type Loaded, useTenantList } from '../parts/loading.ts';
import { Button, CopyButton, Dialog, PageTitle, Time } from '../parts/pieces.tsx';
import { RowButton, Table } from '../parts/table.tsx';

const path = '/v1/auth/api';
const dayMs = 86_400_000;
const lives = [30, 90, 365] as const;
const graces = { hour: 3600, day: 86_400, week: 604_800 } as const;

type Open =
  | { readonly is: 'create' }
  | { readonly is: 'rotate' | 'revoke'; readonly key: KeyEntry }
  | { readonly is: 'secret'; readonly secret: string };

export function KeysPage() {
  const { common, nav, keys, isManager } = useConsole();
  const [open, setOpen] = useState<Open | null>(null);
  const loaded = useTenantList<KeyEntry>(path);
  const done = (secret: string | null) => {
    setOpen(secret === null ? null : { is: 'secret', secret });
    loaded.reload();
  };
  return (
    <>
      <div class="row apart">
        <PageTitle text={nav.keys} />
        {isManager && (
          <Button kind="main" onClick={() => setOpen({ is: 'create' })}>
            {keys.create}
          </Button>
        )}
      </div>
      <p class="soft">{keys.intro}</p>
      {!isManager && <p class="notice">{common.noRight}</p>}
      <section class="panel flush" aria-label={nav.keys}>
        <Rows loaded={loaded} setOpen={setOpen} />
      </section>
      {open?.is === 'create' && <CreateDialog onDone={done} />}
      {open?.is === 'rotate' && <RotateDialog entry={open.key} onDone={done} />}
      {open?.is === 'revoke' && <RevokeDialog entry={open.key} onDone={done} />}
      {open?.is === 'secret' && (
        <Dialog title={keys.secretTitle} onClose={() => setOpen(null)}>
          <p>{keys.secretHint}</p>
          <pre class="mono">{open.secret}</pre>
          <div class="row">
            <CopyButton text={open.secret} />
            <Button kind="main" onClick={() => setOpen(null)}>
              {common.close}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function Rows({
  loaded,
  setOpen,
}: {
  readonly loaded: Loaded<readonly KeyEntry[]>;
  readonly setOpen: (open: Open) => void;
}) {
  const { keys, isManager } = useConsole();
  return (
    <Table
      loaded={loaded}
      empty={keys.empty}
      columns={[keys.name, keys.state, keys.expires, keys.lastUsed, null]}
      row={(key) => (
        <tr key={key.uuid}>
          <td class="name">
            <bdi>{key.name}</bdi>
            <br />
            <span class="mono soft">{key.secret}</span>
          </td>
          <td>
            <span class={`badge ${key.ended === null ? 'ok' : 'failed'}`}>
              {key.ended === null ? keys.works : keys.ends[key.ended]}
            </span>
          </td>
          <td class="small soft" data-label={keys.expires}>
            <Time at={key.expiresAt} />
          </td>
          <td class="small soft" data-label={keys.lastUsed}>
            <Time at={key.lastUsedDate} />
          </td>
          <td>
            <div class="row">
              {isManager && key.ended === null && (
                <RowButton
                  label={keys.rotate}
                  subject={key.name}
                  onClick={() => setOpen({ is: 'rotate', key })}
                />
              )}
              <RowButton
                label={keys.revoke}
                subject={key.name}
                onClick={() => setOpen({ is: 'revoke', key })}
              />
            </div>
          </td>
        </tr>
      )}
    />
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
