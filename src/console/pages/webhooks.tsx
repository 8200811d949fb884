/** What was sent to the tenant's webhook, what became of it, and once more. */

import { useState } from 'preact/hooks';
import type { TenantAnswer } from '../../contract/tenant.ts';
import type { Delivery, WebhookTest } from '../../contract/webhooks.ts';
import { ask } from '../api/client.ts';
import { messageOf, useConsole } from '../context.ts';
import { SelectField } from '../parts/form.tsx';
import { growingPause, type Loaded, useLoaded, useTenantList } from '../parts/loading.ts';
import { Pager, pageSize, usePlace } from '../parts/newest-first.tsx';
import { Button, ManagerPage, RowButton, Table, Time } from '../parts/pieces.tsx';

const path = '/v1/tenant/webhook';
const badges = { waiting: 'pending', delivered: 'ok', given_up: 'failed' } as const;

export function WebhooksPage() {
  const { webhooks } = useConsole().words;
  return (
    <ManagerPage title={webhooks.title} intro={webhooks.intro}>
      <Messages />
    </ManagerPage>
  );
}

function Messages() {
  const { words, tenantName, toast } = useConsole();
  const { webhooks } = words;
  const [state, setState] = useState<Delivery['state'] | ''>('');
  const [isBusy, setBusy] = useState(false);
  const place = usePlace();
  const { before } = place;
  const tenant = useLoaded(`tenant ${tenantName}`, {
    load: (signal) =>
      ask<{ readonly data: TenantAnswer }>('/v1/tenant', { query: { tenantName }, signal }),
  });
  const hasWebhook = tenant.data !== null && tenant.data.data.webhookState !== 'none';
  const loaded = useTenantList<Delivery>(
    path,
    { state, before: before ?? undefined, limit: pageSize },
    (found, unchanged) => (found.some(isMoving) ? growingPause(unchanged) : null),
  );
  const { data, reload } = loaded;
  const run = async (act: () => Promise<string>): Promise<void> => {
    setBusy(true);
    try {
      toast({ text: await act() });
    } catch (failure) {
      toast({ text: messageOf(failure, words) });
    }
    setBusy(false);
    reload();
  };
  const replay = async (body: object): Promise<number> => {
    const { data: done } = await ask<{ readonly data: { readonly replayed: number } }>(
      `${path}/replay`,
      { method: 'POST', body: { tenantName, ...body } },
    );
    return done.replayed;
  };
  const again = (id: string) =>
    run(async () => {
      await replay({ id });
      return webhooks.sentAgain;
    });
  const tryOut = () =>
    run(async () => {
      const { data: found } = await ask<{ readonly data: WebhookTest }>(`${path}/test`, {
        method: 'POST',
        body: { tenantName },
      });
      const outcome = outcomeText(found.outcome, webhooks.outcomes);
      return found.isAccepted
        ? webhooks.accepted(outcome, String(found.tookMs))
        : webhooks.refused(outcome);
    });
  const last = data?.length === pageSize ? data.at(-1)!.id : null;
  return (
    <>
      {tenant.data !== null && !hasWebhook && <p class="notice">{webhooks.none}</p>}
      <section class="panel flush" aria-label={webhooks.title}>
        <div class="toolbar row apart end">
          <SelectField
            label={webhooks.state}
            options={{ '': webhooks.any, ...webhooks.states }}
            value={state}
            onValue={(next) => {
              setState(next);
              place.restart();
            }}
          />
          <div class="row">
            {hasWebhook && (
              <Button kind="little" disabled={isBusy} onClick={() => void tryOut()}>
                {webhooks.test}
              </Button>
            )}
            {hasWebhook && data?.some((each) => each.state === 'given_up') === true && (
              <Button
                kind="little"
                disabled={isBusy}
                onClick={() => void run(async () => webhooks.allSentAgain(await replay({})))}
              >
                {webhooks.allAgain}
              </Button>
            )}
            <Pager place={place} last={last} />
          </div>
        </div>
        <Rows
          loaded={loaded}
          again={hasWebhook && !isBusy ? (id: string) => void again(id) : null}
        />
      </section>
    </>
  );
}

function isMoving({ state }: Delivery): boolean {
  return state === 'waiting';
}

function outcomeText(outcome: string, outcomes: Readonly<Record<string, string>>): string {
  return outcomes[outcome] ?? outcome.replace(/^http_/, 'HTTP ');
}

function Rows({
  loaded,
  again,
}: {
  readonly loaded: Loaded<readonly Delivery[]>;
  readonly again: ((id: string) => void) | null;
}) {
  const { webhooks } = useConsole().words;
  return (
    <Table
      loaded={loaded}
      empty={webhooks.empty}
      columns={[
        webhooks.created,
        webhooks.event,
        webhooks.analysis,
        webhooks.state,
        webhooks.outcome,
        null,
      ]}
      row={(entry) => (
        <tr key={entry.id}>
          <td class="small">
            <Time at={entry.createdDate} />
          </td>
          <td>{webhooks.events[entry.event] ?? entry.event}</td>
          <td class="small">
            <a class="mono" href={`#/analysis/${entry.subject}`}>
              {entry.subject}
            </a>
          </td>
          <td>
            <span class={`badge ${badges[entry.state]}`}>{webhooks.states[entry.state]}</span>
          </td>
          <td class="small soft">
            {entry.lastOutcome !== null &&
              `${outcomeText(entry.lastOutcome, webhooks.outcomes)} · ${webhooks.attempts(entry.attempts)}`}
            {entry.nextAttemptDate !== null && entry.attempts > 0 && (
              <>
                <br />
                {webhooks.next}: <Time at={entry.nextAttemptDate} />
              </>
            )}
          </td>
          <td>
            {entry.state !== 'waiting' && again !== null && (
              <RowButton
                label={webhooks.again}
                subject={entry.subject}
                onClick={() => again(entry.id)}
              />
            )}
          </td>
        </tr>
      )}
    />
  );
}
