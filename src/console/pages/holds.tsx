/** Legal holds: what is kept even if deleted, and why. They are placed and lifted here. */

import type { LegalHold } from '../../contract/tenant.ts';
import { maxCommentLength } from '../../contract/limits.ts';
import { ask } from '../api/client.ts';
import { type Context, useConsole } from '../context.ts';
import { type Question, TextField, useQuestion } from '../parts/form.tsx';
import { useTenantData } from '../parts/loading.ts';
import { Button, Buttons, PageTitle, Time } from '../parts/pieces.tsx';
import { type Column, Table } from '../parts/table.tsx';

const path = '/v1/tenant/hold';

export function HoldsPage() {
  const { nav, holds } = useConsole();
  return (
    <>
      <PageTitle text={nav.holds} />
      <p class="soft">{holds.intro}</p>
      <Holds id={null} />
    </>
  );
}

/** @param id - the analysis, for which those on all the tenant's data count too; null for all holds. */
export function Holds({ id }: { readonly id: string | null }) {
  const words = useConsole();
  const { nav, holds } = words;
  const { data, error, reload } = useTenantData<readonly LegalHold[]>(path);
  const { ask: open, dialog } = useQuestion(reload);
  const shown = data?.filter(({ analysisId }) => id === null || [id, null].includes(analysisId));
  const columns: readonly Column<LegalHold>[] = [
    { head: holds.object, class: 'name', cell: (hold) => <Held hold={hold} /> },
    {
      head: holds.reason,
      cell: ({ analysisId, reason }) => (
        <>
          {id !== null && analysisId === null && <strong>{holds.everything}: </strong>}
          <bdi>{reason}</bdi>
        </>
      ),
    },
    { head: holds.since, class: 'small', cell: (hold) => <Since hold={hold} /> },
    {
      head: null,
      cell: (hold) =>
        hold.createdByUserId === null ? (
          <span class="soft small">{holds.ofOperator}</span>
        ) : (
          <Buttons
            kind="quiet little"
            acts={[[holds.lift, () => open(lift(words, hold))]]}
            subject={nameOf(hold, holds.everything)}
          />
        ),
    },
  ];
  return (
    <section class="panel flush" aria-label={nav.holds}>
      <div class="toolbar row apart">
        {id === null ? <p class="soft small">{holds.howToPlace}</p> : <h2>{holds.one}</h2>}
        {data?.every(({ analysisId }) => analysisId !== id) === true && (
          <Button onClick={() => open(place(words, id))}>
            {id === null ? holds.placeAll : holds.place}
          </Button>
        )}
      </div>
      <Table
        loaded={{ data: shown ?? null, error, reload }}
        empty={id === null ? holds.empty : holds.notHeld}
        columns={id === null ? columns : columns.slice(1)}
        keyOf={({ analysisId }) => analysisId ?? ''}
      />
      {dialog}
    </section>
  );
}

function nameOf({ analysisId, analysisName }: LegalHold, everything: string): string {
  return analysisId === null ? everything : (analysisName ?? analysisId);
}

function Held({ hold: { analysisId, analysisName } }: { hold: LegalHold }) {
  const { holds } = useConsole();
  if (analysisId === null) return <strong>{holds.everything}</strong>;
  return (
    <a href={`#/analysis/${analysisId}`} title={analysisId}>
      {analysisName === null ? <span class="mono">{analysisId}</span> : <bdi>{analysisName}</bdi>}
    </a>
  );
}

function Since({ hold: { createdDate, createdByUserId, createdByUserName } }: { hold: LegalHold }) {
  return (
    <>
      <Time at={createdDate} />
      {createdByUserId !== null && (
        <>
          {' · '}
          <bdi title={createdByUserId}>{createdByUserName ?? createdByUserId}</bdi>
        </>
      )}
    </>
  );
}

function place({ holds, tenantName }: Context, id: string | null): Question {
  return {
    title: id === null ? holds.placeAll : holds.place,
    act: holds.place,
    children: (
      <>
        <p>{holds.placeHint}</p>
        <TextField label={holds.reason} name="reason" required maxLength={maxCommentLength} />
      </>
    ),
    send: async ({ reason }) =>
      ask(path, { body: { tenantName, analysisId: id ?? undefined, reason } }),
    done: holds.placed,
  };
}

function lift({ holds, tenantName }: Context, hold: LegalHold): Question {
  const body = { tenantName, analysisId: hold.analysisId ?? undefined };
  return {
    title: holds.liftTitle,
    act: holds.lift,
    kind: 'danger',
    children: (
      <>
        <p>
          <bdi>{nameOf(hold, holds.everything)}</bdi>: <bdi>{hold.reason}</bdi>
        </p>
        <p>{holds.liftHint}</p>
      </>
    ),
    send: async () => ask(path, { method: 'DELETE', body }),
    done: holds.lifted,
  };
}
