/** Legal holds: what is kept even if deleted, and why. They are placed and lifted here. */

import { useState } from 'preact/hooks';
import type { LegalHold } from '../../contract/tenant.ts';
import { maxCommentLength } from '../../contract/limits.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { type Fields, FormDialog, TextField } from '../parts/form.tsx';
import { useTenantList } from '../parts/loading.ts';
import { Button, Failure, ManagerPage, Panel, Time } from '../parts/pieces.tsx';
import { RowButton, Table } from '../parts/table.tsx';

const path = '/v1/tenant/hold';

export function HoldsPage() {
  return (
    <ManagerPage place="holds">
      <Holds />
    </ManagerPage>
  );
}

/** The hold on one analysis, for users who may change settings. */
export function AnalysisHold({ id }: { readonly id: string }) {
  const { holds, isManager } = useConsole();
  return isManager ? (
    <Panel title={holds.one}>
      <HoldOn id={id} />
    </Panel>
  ) : null;
}

function HoldOn({ id }: { readonly id: string }) {
  const { holds } = useConsole();
  const { loaded, place, lift, dialog } = useHolds(id);
  const { data, error, reload } = loaded;
  const own = data?.filter(({ analysisId }) => analysisId === id || analysisId === null) ?? [];
  const isHeld = own.some(({ analysisId }) => analysisId === id);
  return (
    <>
      <Failure error={error} retry={reload} />
      {data !== null && own.length === 0 && <p class="soft">{holds.notHeld}</p>}
      {own.map((hold) => (
        <div key={hold.analysisId} class="row apart">
          <p>
            {hold.analysisId === null && <strong>{holds.everything}: </strong>}
            <bdi>{hold.reason}</bdi>{' '}
            <span class="soft small">
              <Since hold={hold} />
            </span>
          </p>
          <Lift hold={hold} onLift={lift} />
        </div>
      ))}
      {data !== null && !isHeld && (
        <div>
          <Button onClick={place}>{holds.place}</Button>
        </div>
      )}
      {dialog}
    </>
  );
}

function Holds() {
  const { nav, holds } = useConsole();
  const { loaded, place, lift, dialog } = useHolds(null);
  return (
    <>
      <section class="panel flush" aria-label={nav.holds}>
        <div class="toolbar row apart end">
          <p class="soft small">{holds.howToPlace}</p>
          {loaded.data?.every(({ analysisId }) => analysisId !== null) === true && (
            <Button onClick={place}>{holds.placeAll}</Button>
          )}
        </div>
        <Table
          loaded={loaded}
          empty={holds.empty}
          columns={[holds.object, holds.reason, holds.since, null]}
          row={(hold) => (
            <tr key={hold.analysisId}>
              <td class="name">
                <Held hold={hold} />
              </td>
              <td>
                <bdi>{hold.reason}</bdi>
              </td>
              <td class="small">
                <Since hold={hold} />
              </td>
              <td>
                <Lift hold={hold} onLift={lift} />
              </td>
            </tr>
          )}
        />
      </section>
      {dialog}
    </>
  );
}

/** @param id - what a new hold is placed on; null for all the tenant's data. */
function useHolds(id: string | null) {
  const loaded = useTenantList<LegalHold>(path);
  const [open, setOpen] = useState<'place' | LegalHold | null>(null);
  const done = () => {
    setOpen(null);
    loaded.reload();
  };
  return {
    loaded,
    place: () => setOpen('place'),
    lift: (hold: LegalHold) => setOpen(hold),
    dialog:
      open === 'place' ? (
        <PlaceDialog id={id} onDone={done} />
      ) : (
        open !== null && <LiftDialog hold={open} onDone={done} />
      ),
  };
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

function Lift({ hold, onLift }: HoldProps & { readonly onLift: (hold: LegalHold) => void }) {
  const { holds } = useConsole();
  const subject = useHeldName(hold);
  if (hold.createdByUserId === null) return <span class="soft small">{holds.ofOperator}</span>;
  return <RowButton label={holds.lift} subject={subject} onClick={() => onLift(hold)} />;
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
