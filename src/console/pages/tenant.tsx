/** The settings of a tenant: name, default options, storage and webhook. */

import { useState } from 'preact/hooks';
import type { TenantResponse } from '../../contract/tenant.ts';
import type { WebhookTest } from '../../contract/webhooks.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import {
  CheckField,
  type Fields,
  FormPanel,
  SelectField,
  StrategyField,
  TextField,
  useAct,
} from '../parts/form.tsx';
import { useTenant } from '../parts/loading.ts';
import { Awaited, Button, PageTitle } from '../parts/pieces.tsx';

const storedMark = 'stored';

export function TenantPage({ query }: { readonly query: URLSearchParams }) {
  const { tenant: text, common, nav, isManager } = useConsole();
  const loaded = useTenant();
  const { data, reload } = loaded;
  return (
    <>
      <PageTitle text={nav.tenant} />
      {!isManager && <p class="notice">{common.noRight}</p>}
      {query.has(storedMark) && (
        <p class="notice" role="status">
          {text.tested}
        </p>
      )}
      {data?.isTrial === true && <p class="notice warn">{text.trial}</p>}
      <Awaited loaded={loaded}>
        {(tenant) => (
          <fieldset disabled={!isManager}>
            <NameForm tenant={tenant} />
            <OptionsForm tenant={tenant} reload={reload} />
            <StorageForm
              key={JSON.stringify(tenant.storageConfig)}
              tenant={tenant}
              reload={reload}
            />
            <WebhookForm tenant={tenant} reload={reload} />
            <SeenBeforeForm tenant={tenant} reload={reload} />
          </fieldset>
        )}
      </Awaited>
    </>
  );
}

/** Saves part of the tenant, then calls `then`. @param text - shown afterwards; null for nothing. */
function useChange() {
  const { common, tenantName, toast } = useConsole();
  return async (body: object, then: () => void, text: string | null = common.saved) => {
    await ask('/v1/tenant', { method: 'PUT', body: { tenantName, ...body } });
    if (text !== null) toast(text);
    then();
  };
}

interface PartProps {
  readonly tenant: TenantResponse;
  readonly reload: () => void;
}

function NameForm({ tenant }: Pick<PartProps, 'tenant'>) {
  const { tenant: text, common, list, setTenantName, isManager } = useConsole();
  const change = useChange();
  const send = ({ name = '' }: Fields) => change({ name }, () => setTenantName(name));
  return (
    <FormPanel title={list.name} act={isManager ? common.save : null} send={send}>
      <TextField label={list.name} name="name" required maxLength={63} defaultValue={tenant.name} />
      <p class="soft small">{text.nameHint}</p>
    </FormPanel>
  );
}

function OptionsForm({ tenant: { defaultOptions }, reload }: PartProps) {
  const { upload, common, tenant, isManager } = useConsole();
  const [tier, setTier] = useState(defaultOptions?.tier ?? 'forensicReporting');
  const [strategy, setStrategy] = useState(defaultOptions?.decisionStrategy ?? 'default');
  const change = useChange();
  return (
    <FormPanel
      title={tenant.options}
      intro={<p class="soft">{tenant.optionsIntro}</p>}
      act={isManager ? common.save : null}
      send={() => change({ defaultOptions: { tier, decisionStrategy: strategy } }, reload)}
    >
      <SelectField label={upload.tier} options={upload.tiers} value={tier} onValue={setTier} />
      <StrategyField value={strategy} onValue={setStrategy} />
    </FormPanel>
  );
}

function SeenBeforeForm({ tenant, reload }: PartProps) {
  const { analysis, tenant: text, common, isManager } = useConsole();
  const change = useChange();
  const send = ({ isOn }: Fields) => change({ seenBefore: isOn !== undefined }, reload);
  return (
    <FormPanel
      title={analysis.seenBefore.title}
      intro={<p class="soft">{text.seenBeforeIntro}</p>}
      act={isManager ? common.save : null}
      send={send}
    >
      <CheckField label={text.seenBeforeLabel} name="isOn" defaultChecked={tenant.seenBefore} />
    </FormPanel>
  );
}

type Kind = 'own' | 's3' | 'azure';
const fieldNames = {
  s3: ['endpoint', 'port', 'bucketName', 'region', 'accessKeyId', 'secretAccessKey'],
  azure: ['containerName', 'connectionString'],
} as const;
const secrets: ReadonlySet<string> = new Set(['secretAccessKey', 'connectionString']);

function StorageForm({ tenant, reload }: PartProps) {
  const { common, tenant: text, isManager } = useConsole();
  const stored = tenant.storageConfig;
  const storedKind: Kind = stored === undefined ? 'own' : 's3' in stored ? 's3' : 'azure';
  const [kind, setKind] = useState<Kind>(storedKind);
  const change = useChange();
  const needsReload = storedKind === 'own' && kind !== 'own';
  const send = (fields: Fields) =>
    change(
      kind === 'own'
        ? { storageConfig: null }
        : { storageType: kind, storageConfig: { [kind]: toConfig(kind, fields) } },
      needsReload ? reloadPage : reload,
      needsReload ? null : text.tested,
    );
  return (
    <FormPanel
      title={text.storage}
      intro={
        <>
          <p class="soft">{text.storageIntro}</p>
          {tenant.storageWarning !== null && (
            <p class="notice warn">
              {text.warning}: {tenant.storageWarning}
            </p>
          )}
        </>
      }
      act={isManager ? (kind === 'own' ? common.save : text.test) : null}
      send={send}
    >
      <SelectField label={text.storage} options={text.kinds} value={kind} onValue={setKind} />
      {kind !== 'own' && (
        <StoreFields key={kind} kind={kind} values={{ ...(stored && Object.values(stored)[0]) }} />
      )}
      {kind !== 'own' && kind === storedKind && <p class="soft small">{text.secretKept}</p>}
    </FormPanel>
  );
}

interface StoreFieldsProps {
  readonly kind: 's3' | 'azure';
  readonly values: Readonly<Record<string, string | number | boolean | undefined>>;
}

function StoreFields({ kind, values }: StoreFieldsProps) {
  const { fields } = useConsole().tenant;
  return (
    <>
      {fieldNames[kind].map((name) => (
        <TextField
          key={name}
          label={fields[name]}
          name={name}
          type={secrets.has(name) ? 'password' : 'text'}
          autocomplete="off"
          required={name !== 'port' && name !== 'region'}
          defaultValue={String(values[name] ?? '')}
        />
      ))}
      {kind === 's3' && (
        <CheckField
          label={fields.useSSL}
          name="useSSL"
          defaultChecked={values['useSSL'] !== false}
        />
      )}
    </>
  );
}

function toConfig(kind: 's3' | 'azure', fields: Fields): object {
  const texts = fieldNames[kind].flatMap((name) => {
    const value = (fields[name] ?? '').trim();
    return value === '' ? [] : [[name, name === 'port' ? Number(value) : value] as const];
  });
  const ssl = kind === 's3' ? { useSSL: fields['useSSL'] !== undefined } : {};
  return { ...Object.fromEntries(texts), ...ssl };
}

/** This page's content security policy does not yet allow the tenant's new store; that of a reloaded page does. */
function reloadPage(): void {
  history.replaceState(null, '', `#/tenant?${storedMark}`);
  location.reload();
}

function WebhookForm({ tenant, reload }: PartProps) {
  const { common, tenant: text, tenantName, isManager } = useConsole();
  const { webhookState } = tenant;
  const change = useChange();
  const send = ({ url }: Fields) => change({ webhookUrl: url || null }, reload);
  const { isBusy, run } = useAct(reload);
  const test = async (): Promise<string> => {
    const answer = await ask<WebhookTest>('/v1/tenant/webhook/test', { body: { tenantName } });
    const outcome = text.outcomes[answer.outcome] ?? answer.outcome.replace(/^http_/, 'HTTP ');
    return answer.isAccepted ? text.accepted(outcome, `${answer.tookMs}`) : text.refused(outcome);
  };
  const isWell = webhookState === 'active' || webhookState === 'none';
  return (
    <FormPanel
      title={text.webhook}
      intro={
        <>
          <p class="soft">{text.webhookIntro}</p>
          <p class={isWell ? 'soft small' : 'notice warn'}>{text.states[webhookState]}</p>
        </>
      }
      act={isManager ? common.save : null}
      send={send}
    >
      <TextField
        label={text.webhookUrl}
        name="url"
        type="url"
        maxLength={2048}
        defaultValue={tenant.webhookUrl ?? ''}
      />
      {isManager && webhookState !== 'none' && (
        <Button disabled={isBusy} onClick={() => run(test)}>
          {text.testWebhook}
        </Button>
      )}
    </FormPanel>
  );
}
