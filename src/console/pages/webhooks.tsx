/** The messages to the tenant's webhook: see their outcome, send them again, or send a test message. */

import { useState } from 'preact/hooks';
import type { Delivery, WebhookTest } from '../../contract/webhooks.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { SelectField, useAct } from '../parts/form.tsx';
import { growingPause, type Loaded, useTenant, useTenantList } from '../parts/loading.ts';
import { Button, ManagerPage, Time } from '../parts/pieces.tsx';
import { Pager, pageSize, RowButton, Table, usePlace } from '../parts/table.tsx';

const path = '/v1/tenant/webhook';
const badges = { waiting: 'pending', delivered: 'ok', given_up: 'failed' } as const;

export function WebhooksPage() {
  return (
    <ManagerPage place="webhooks">
      <Messages />
    </ManagerPage>
  );
}

function Messages() {
  const { nav, webhooks } = useConsole();
  const [state, setState] = useState<Delivery['state'] | ''>('');
  const place = usePlace();
  const tenant = useTenant();
  const hasWebhook = tenant.data !== null && tenant.data.webhookState !== 'none';
  const loaded = useTenantList<Delivery>(
    path,
    { state, before: place.before ?? undefined, limit: pageSize },
    (found, unchanged) =>
      found.some((each) => each.state === 'waiting') ? growingPause(unchanged) : null,
  );
  const { data, reload } = loaded;
  const { isBusy, again, allAgain, test } = useSending(reload);
  const last = data?.length === pageSize ? data.at(-1)!.id : null;
  return (
    <>
      {tenant.data !== null && !hasWebhook && <p class="notice">{webhooks.none}</p>}
      <section class="panel flush" aria-label={nav.webhooks}>
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
              <Button kind="little" disabled={isBusy} onClick={test}>
                {webhooks.test}
              </Button>
            )}
            {hasWebhook && data?.some((each) => each.state === 'given_up') === true && (
              <Button kind="little" disabled={isBusy} onClick={allAgain}>
                {webhooks.allAgain}
              </Button>
            )}
            <Pager newer={place.newer} older={place.olderThan(last)} />
          </div>
        </div>
        <Rows loaded={loaded} again={hasWebhook && !isBusy ? again : null} />
      </section>
    </>
  );
}

/** Sends messages again, or a test message. */
function useSending(reload: () => void) {
  const { webhooks, tenantName } = useConsole();
  const { isBusy, run } = useAct(reload);
  const post = <T,>(act: string, body: object): Promise<T> =>
    ask(`${path}/${act}`, { body: { tenantName, ...body } });
  return {
    isBusy,
    again: (id: string) =>
      run(async () => {
        await post('replay', { id });
        return webhooks.sentAgain;
      }),
    allAgain: () =>
      run(async () => {
        const { replayed } = await post<{ readonly replayed: number }>('replay', {});
        return webhooks.allSentAgain(replayed);
      }),
    test: () =>
      run(async () => {
        const { outcome, isAccepted, tookMs } = await post<WebhookTest>('test', {});
        const text = outcomeText(outcome, webhooks.outcomes);
        return isAccepted ? webhooks.accepted(text, String(tookMs)) : webhooks.refused(text);
      }),
  };
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
  const { webhooks } = useConsole();
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
