/** Legal holds: what is kept even if deleted, and why. They are placed and lifted here. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { LegalHold } from '../../contract/tenant.ts';
import { maxCommentLength } from '../../contract/limits.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { type Fields, FormDialog, TextField } from '../parts/form.tsx';
import { useTenantList } from '../parts/loading.ts';
import { Button, PageTitle, Time } from '../parts/pieces.tsx';
import { type Column, RowButton, Table } from '../parts/table.tsx';

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

/** The holds on one analysis, for users who may change settings. */
export function AnalysisHold({ id }: { readonly id: string }) {
  return useConsole().isManager ? <Holds id={id} /> : null;
}

/** @param id - the analysis, for which those on all the tenant's data count too; null for all holds. */
function Holds({ id }: { readonly id: string | null }) {
  const { nav, holds } = useConsole();
  const [dialog, setDialog] = useState<ComponentChildren>(null);
  const { data, error, reload } = useTenantList<LegalHold>(path);
  const shown = data?.filter(({ analysisId }) => id === null || [id, null].includes(analysisId));
  const done = () => {
    setDialog(null);
    reload();
  };
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
      cell: (hold) => (
        <Lift hold={hold} onLift={() => setDialog(<LiftDialog hold={hold} onDone={done} />)} />
      ),
    },
  ];
  return (
    <section class="panel flush" aria-label={nav.holds}>
      <div class="toolbar row apart end">
        {id === null ? <p class="soft small">{holds.howToPlace}</p> : <h2>{holds.one}</h2>}
        {data?.every(({ analysisId }) => analysisId !== id) === true && (
          <Button onClick={() => setDialog(<PlaceDialog id={id} onDone={done} />)}>
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

interface HoldProps {
  readonly hold: LegalHold;
}

/** What is held, in words. */
function useHeldName({ analysisId, analysisName }: LegalHold): string {
  const { everything } = useConsole().holds;
  return analysisId === null ? everything : (analysisName ?? analysisId);
}

function Held({ hold: { analysisId, analysisName } }: HoldProps) {
  const { holds } = useConsole();
  if (analysisId === null) return <strong>{holds.everything}</strong>;
  return (
    <a class="clip" href={`#/analysis/${analysisId}`} title={analysisId}>
      {analysisName === null ? <span class="mono">{analysisId}</span> : <bdi>{analysisName}</bdi>}
    </a>
  );
}

function Since({ hold: { createdDate, createdByUserId, createdByUserName } }: HoldProps) {
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

function Lift({ hold, onLift }: HoldProps & { readonly onLift: () => void }) {
  const { holds } = useConsole();
  const subject = useHeldName(hold);
  if (hold.createdByUserId === null) return <span class="soft small">{holds.ofOperator}</span>;
  return <RowButton label={holds.lift} subject={subject} onClick={onLift} />;
}

function PlaceDialog({ id, onDone }: { readonly id: string | null; readonly onDone: () => void }) {
  const { holds, tenantName, toast } = useConsole();
  const send = async ({ reason }: Fields): Promise<void> => {
    const held = id === null ? {} : { analysisId: id };
    await ask(path, { body: { tenantName, ...held, reason } });
    toast(holds.placed);
    onDone();
  };
  return (
    <FormDialog
      title={id === null ? holds.placeAll : holds.place}
      act={holds.place}
      onDone={onDone}
      send={send}
    >
      <p>{holds.placeHint}</p>
      <TextField label={holds.reason} name="reason" required maxLength={maxCommentLength} />
    </FormDialog>
  );
}

function LiftDialog({ hold, onDone }: HoldProps & { readonly onDone: () => void }) {
  const { analysisId, reason } = hold;
  const { holds, tenantName, toast } = useConsole();
  const send = async (): Promise<void> => {
    const held = analysisId === null ? {} : { analysisId };
    await ask(path, { method: 'DELETE', body: { tenantName, ...held } });
    toast(holds.lifted);
    onDone();
  };
  return (
    <FormDialog title={holds.liftTitle} act={holds.lift} isDanger onDone={onDone} send={send}>
      <p>
        <bdi>{useHeldName(hold)}</bdi>: <bdi>{reason}</bdi>
      </p>
      <p>{holds.liftHint}</p>
    </FormDialog>
  );
}
