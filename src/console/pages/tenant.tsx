/** The settings of a tenant (name, default options, storage and webhook), and its usage. */

import { useState } from 'preact/hooks';
import type { TenantResponse, WebhookTest } from '../../contract/tenant.ts';
import type { UsageReport } from '../../contract/usage.ts';
import { ask } from '../api/client.ts';
import { nameIn } from '../../present/text.ts';
import { useConsole } from '../context.ts';
import {
  CheckField,
  type Fields,
  FormPanel,
  PeriodFields,
  SelectField,
  StrategyField,
  TextField,
  useAct,
} from '../parts/form.tsx';
import { useTenantData } from '../parts/loading.ts';
import { Awaited, Button, Facts, PageTitle, Panel } from '../parts/pieces.tsx';

const storedMark = 'stored';

export function TenantPage({ query }: { readonly query: URLSearchParams }) {
  const { tenant: text, analysis, common, list, nav, isManager, setTenantName } = useConsole();
  const loaded = useTenantData<TenantResponse>('/v1/tenant');
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
            <Part
              title={list.name}
              body={({ name }) => ({ name })}
              then={({ name = '' }) => setTenantName(name)}
            >
              <TextField
                label={list.name}
                name="name"
                required
                maxLength={63}
                defaultValue={tenant.name}
              />
              <p class="soft small">{text.nameHint}</p>
            </Part>
            <OptionsForm tenant={tenant} reload={reload} />
            <StorageForm
              key={JSON.stringify(tenant.storageConfig)}
              tenant={tenant}
              reload={reload}
            />
            <WebhookForm tenant={tenant} reload={reload} />
            <Part
              title={analysis.seenBefore.title}
              intro={text.seenBeforeIntro}
              body={({ isOn }) => ({ seenBefore: isOn !== undefined })}
              then={reload}
            >
              <CheckField
                label={text.seenBeforeLabel}
                name="isOn"
                defaultChecked={tenant.seenBefore}
              />
            </Part>
          </fieldset>
        )}
      </Awaited>
    </>
  );
}

interface PartProps extends Omit<Parameters<typeof FormPanel>[0], 'act' | 'send'> {
  readonly act?: string;
  /** What is saved of the tenant, from the texts of the form. */
  readonly body: (fields: Fields) => object;
  readonly then: (fields: Fields) => void;
}

function Part({ act, body, then, ...panel }: PartProps) {
  const { common, isManager, tenantName } = useConsole();
  const send = async (fields: Fields): Promise<void> => {
    await ask('/v1/tenant', { method: 'PUT', body: { tenantName, ...body(fields) } });
    then(fields);
  };
  const button = isManager ? (act ?? common.save) : null;
  return <FormPanel act={button} send={send} done={common.saved} {...panel} />;
}

interface TenantProps {
  readonly tenant: TenantResponse;
  readonly reload: () => void;
}

function OptionsForm({ tenant: { defaultOptions }, reload }: TenantProps) {
  const { upload, tenant: text } = useConsole();
  const { tier = 'forensicReporting', decisionStrategy = 'default' } = defaultOptions ?? {};
  return (
    <Part
      title={text.options}
      intro={text.optionsIntro}
      body={(chosen) => ({ defaultOptions: chosen })}
      then={reload}
    >
      <SelectField label={upload.tier} name="tier" options={upload.tiers} value={tier} />
      <StrategyField name="decisionStrategy" value={decisionStrategy} />
    </Part>
  );
}

type Kind = 'own' | 's3' | 'azure';
const fieldNames = {
  s3: ['endpoint', 'port', 'bucketName', 'region', 'accessKeyId', 'secretAccessKey'],
  azure: ['containerName', 'connectionString'],
} as const;
const secrets: ReadonlySet<string> = new Set(['secretAccessKey', 'connectionString']);

function StorageForm({ tenant, reload }: TenantProps) {
  const { common, tenant: text } = useConsole();
  const stored = tenant.storageConfig;
  const storedKind: Kind = stored === undefined ? 'own' : 's3' in stored ? 's3' : 'azure';
  const [kind, setKind] = useState<Kind>(storedKind);
  return (
    <Part
      title={text.storage}
      intro={text.storageIntro}
      act={kind === 'own' ? common.save : text.test}
      body={(fields) =>
        kind === 'own'
          ? { storageConfig: null }
          : { storageType: kind, storageConfig: { [kind]: toConfig(kind, fields) } }
      }
      then={storedKind === 'own' && kind !== 'own' ? reloadPage : reload}
      done={text.tested}
    >
      {tenant.storageWarning !== null && (
        <p class="notice warn">
          {text.warning}: {tenant.storageWarning}
        </p>
      )}
      <SelectField label={text.storage} options={text.kinds} value={kind} onValue={setKind} />
      {kind !== 'own' && (
        <StoreFields key={kind} kind={kind} values={{ ...(stored && Object.values(stored)[0]) }} />
      )}
      {kind !== 'own' && kind === storedKind && <p class="soft small">{text.secretKept}</p>}
    </Part>
  );
}

type StoreValues = Readonly<Record<string, string | number | boolean | undefined>>;

function StoreFields({ kind, values }: { kind: 's3' | 'azure'; values: StoreValues }) {
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

function WebhookForm({ tenant, reload }: TenantProps) {
  const { tenant: text, tenantName, isManager } = useConsole();
  const { webhookState } = tenant;
  const { isBusy, run } = useAct(reload);
  const test = async (): Promise<string> => {
    const answer = await ask<WebhookTest>('/v1/tenant/webhook/test', { body: { tenantName } });
    const { outcome: code, isAccepted, tookMs } = answer;
    const outcome = nameIn(text.outcomes, code, code.replace(/^http_/, 'HTTP '));
    return isAccepted ? text.accepted(outcome, `${tookMs}`) : text.refused(outcome);
  };
  const isWell = webhookState === 'active' || webhookState === 'none';
  return (
    <Part
      title={text.webhook}
      intro={text.webhookIntro}
      body={({ url }) => ({ webhookUrl: url || null })}
      then={reload}
    >
      <p class={isWell ? 'soft small' : 'notice warn'}>{text.states[webhookState]}</p>
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
    </Part>
  );
}

// The usage of a tenant: in a period, and in total.

const reportPath = '/v1/tenant/report';

export function UsagePage() {
  const { nav, usage } = useConsole();
  // In the report, days begin at midnight UTC.
  const today = new Date().toISOString().slice(0, 10);
  const [period, setPeriod] = useState({ from: `${today.slice(0, 7)}-01`, to: today });
  const total = useTenantData<UsageReport>(reportPath);
  const query = { type: 'range', startTime: period.from, endTime: period.to };
  const range = useTenantData<UsageReport>(reportPath, query);
  return (
    <>
      <PageTitle text={nav.usage} />
      <div class="columns">
        <Panel title={usage.period}>
          <div class="row">
            <PeriodFields period={period} onDay={(day) => setPeriod({ ...period, ...day })} />
          </div>
          <Awaited loaded={range}>{(report) => <Figures report={report} />}</Awaited>
        </Panel>
        <Panel title={usage.total}>
          <Awaited loaded={total}>{(report) => <Figures report={report} />}</Awaited>
        </Panel>
      </div>
    </>
  );
}

function Figures({ report }: { readonly report: UsageReport }) {
  const { list, upload, usage, language } = useConsole();
  const { successfulProcessing: processed, impediments } = report;
  const { single, bulk } = report.processingDurations.byModelTypeAndParallelism.image;
  const { errorRatePercent } = report.qualityIndicators;
  const figures: readonly (readonly [string, number | null, Intl.NumberFormatOptions?])[] = [
    [list.statuses.completed, processed.byResult.total],
    [usage.queued, report.queuedAnalyses],
    [list.results.real, processed.byResult.real],
    [list.results.fake, processed.byResult.fake],
    [list.results.uncertain, processed.byResult.uncertain],
    [list.results.abstain, processed.byResult.abstain],
    [upload.tiers.flagging, processed.byModelTypeAndTier.image.flagging],
    [upload.tiers.forensicReporting, processed.byModelTypeAndTier.image.forensicReporting],
    [usage.byApi, processed.byType.api],
    [usage.byApp, processed.byType.app],
    [usage.logins, report.userInteraction.appLogins],
    [usage.errors, impediments.processingErrors],
    [usage.retries, impediments.retries],
    [usage.errorRate, errorRatePercent / 100, { style: 'percent' }],
    [usage.single, single],
    [usage.bulk, bulk],
  ];
  return (
    <Facts
      rows={figures.map(([name, value, style]) => [
        name,
        value?.toLocaleString(language, { maximumFractionDigits: 2, ...style }) ?? '–',
      ])}
    />
  );
}
