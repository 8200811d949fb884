/** API keys: create, copy once, rotate with grace, revoke. */

import { useState } from 'preact/hooks';
import type { KeyEntry } from '../../contract/keys.ts';
import { ask } from '../api/client.ts';
import { messageOf, useConsole } from '../context.ts';
import { type Loaded, useLoaded } from '../parts/loading.ts';
import { CopyButton, Dialog, Field, PageTitle, Table, Time } from '../parts/pieces.tsx';
import { submitted, useSubmit } from './login.tsx';

const path = '/v1/auth/api';
const dayMs = 86_400_000;
const lives = [30, 90, 365] as const;
const graces = { hour: 3600, day: 86_400, week: 604_800 } as const;

type Open =
  | { readonly is: 'create' }
  | { readonly is: 'rotate' | 'revoke'; readonly key: KeyEntry }
  | { readonly is: 'secret'; readonly secret: string };

export function KeysPage() {
  const { words, tenantName, isManager } = useConsole();
  const { keys } = words;
  const [open, setOpen] = useState<Open | null>(null);
  const loaded = useLoaded(tenantName, {
    load: async (signal) =>
      (await ask<{ readonly data: readonly KeyEntry[] }>(path, { query: { tenantName }, signal }))
        .data,
  });
  const done = (secret: string | null) => {
    setOpen(secret === null ? null : { is: 'secret', secret });
    loaded.reload();
  };
  return (
    <>
      <div class="row apart">
        <PageTitle text={keys.title} />
        {isManager && (
          <button type="button" class="button main" onClick={() => setOpen({ is: 'create' })}>
            {keys.create}
          </button>
        )}
      </div>
      <p class="soft">{keys.intro}</p>
      {!isManager && <p class="notice">{words.common.noRight}</p>}
      <section class="panel flush" aria-label={keys.title}>
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
            <button type="button" class="button main" onClick={() => setOpen(null)}>
              {words.common.close}
            </button>
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
  const { words, isManager } = useConsole();
  const { keys } = words;
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
                <button
                  type="button"
                  class="button quiet little"
                  onClick={() => setOpen({ is: 'rotate', key })}
                >
                  {keys.rotate}
                  <span class="hidden"> {key.name}</span>
                </button>
              )}
              <button
                type="button"
                class="button quiet little"
                onClick={() => setOpen({ is: 'revoke', key })}
              >
                {keys.revoke}
                <span class="hidden"> {key.name}</span>
              </button>
            </div>
          </td>
        </tr>
      )}
    />
  );
}

interface DialogProps {
  /** With the secret of a key that was made; null when nothing was. */
  readonly onDone: (secret: string | null) => void;
}

async function make(body: object): Promise<string> {
  const idempotencyKey = crypto.randomUUID();
  const { data } = await ask<{ readonly data: KeyEntry }>(path, {
    method: 'POST',
    body,
    idempotencyKey,
  });
  return data.secret;
}

function Life({
  days,
  setDays,
}: {
  readonly days: number;
  readonly setDays: (days: number) => void;
}) {
  const { keys } = useConsole().words;
  return (
    <Field label={keys.days}>
      {(id) => (
        <select
          id={id}
          value={days}
          onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
        >
          {lives.map((each) => (
            <option key={each} value={each}>
              {keys.dayCount(each)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function Buttons({
  act,
  isBusy,
  onDone,
}: DialogProps & { readonly act: string; readonly isBusy: boolean }) {
  const { common } = useConsole().words;
  return (
    <div class="row">
      <button class="button main" disabled={isBusy}>
        {act}
      </button>
      <button type="button" class="button" onClick={() => onDone(null)}>
        {common.cancel}
      </button>
    </div>
  );
}

function CreateDialog({ onDone }: DialogProps) {
  const { words, tenantName, language } = useConsole();
  const { keys } = words;
  const [name, setName] = useState('');
  const [days, setDays] = useState<number>(90);
  const { isBusy, failure, run } = useSubmit(language);
  const submit = () =>
    run(async () => {
      const expiresAt = new Date(Date.now() + days * dayMs).toISOString();
      onDone(await make({ tenantName, name, expiresAt }));
    });
  return (
    <Dialog title={keys.create} onClose={() => onDone(null)}>
      <form class="stack" onSubmit={submitted(submit)}>
        {failure}
        <Field label={keys.newName}>
          {(id) => (
            <input
              id={id}
              required
              maxLength={255}
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
        <Life days={days} setDays={setDays} />
        <Buttons act={keys.create} isBusy={isBusy} onDone={onDone} />
      </form>
    </Dialog>
  );
}

function RotateDialog({ entry, onDone }: DialogProps & { readonly entry: KeyEntry }) {
  const { words, tenantName, language } = useConsole();
  const { keys } = words;
  const [days, setDays] = useState<number>(90);
  const [grace, setGrace] = useState<keyof typeof graces>('day');
  const { isBusy, failure, run } = useSubmit(language);
  const submit = () =>
    run(async () => {
      const expiresAt = new Date(Date.now() + days * dayMs).toISOString();
      const replaces = { uuid: entry.uuid };
      onDone(await make({ tenantName, replaces, expiresAt, graceSeconds: graces[grace] }));
    });
  return (
    <Dialog title={keys.rotateTitle(entry.name)} onClose={() => onDone(null)}>
      <form class="stack" onSubmit={submitted(submit)}>
        {failure}
        <p>{keys.rotateHint}</p>
        <Life days={days} setDays={setDays} />
        <Field label={keys.grace}>
          {(id) => (
            <select
              id={id}
              value={grace}
              onChange={({ currentTarget: { value } }) =>
                setGrace(value === 'hour' || value === 'week' ? value : 'day')
              }
            >
              {(['hour', 'day', 'week'] as const).map((each) => (
                <option key={each} value={each}>
                  {keys.graces[each]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Buttons act={keys.rotate} isBusy={isBusy} onDone={onDone} />
      </form>
    </Dialog>
  );
}

function RevokeDialog({ entry, onDone }: DialogProps & { readonly entry: KeyEntry }) {
  const { words, tenantName, toast } = useConsole();
  const { keys } = words;
  const revoke = async (): Promise<void> => {
    try {
      // The body is only there for its type: without it the server takes the request for one of another site.
      await ask(path, { method: 'DELETE', query: { tenantName, uuid: entry.uuid }, body: {} });
    } catch (error) {
      toast({ text: messageOf(error, words) });
    }
    onDone(null);
  };
  return (
    <Dialog title={keys.revokeTitle(entry.name)} onClose={() => onDone(null)}>
      <p>{keys.revokeHint}</p>
      <div class="row">
        <button type="button" class="button danger" onClick={() => void revoke()}>
          {keys.revoke}
        </button>
        <button type="button" class="button" onClick={() => onDone(null)}>
          {words.common.cancel}
        </button>
      </div>
    </Dialog>
  );
}
