/** What a tenant configures: its name, where its pictures are kept, and who is told about them. */

import { useState } from 'preact/hooks';
import type { TenantAnswer } from '../../contract/tenant.ts';
import { tiers } from '../../contract/vocabulary.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { useLoaded } from '../parts/loading.ts';
import { Failure, Field, Loading, PageTitle } from '../parts/pieces.tsx';
import { Choice, StrategyChoice } from '../parts/choices.tsx';
import { fieldOf, submitted, useSubmit } from './login.tsx';

interface Answer {
  readonly data: TenantAnswer;
}

const storedMark = 'stored';

export function TenantPage({ query }: { readonly query: URLSearchParams }) {
  const { words, tenantName, isManager } = useConsole();
  const { data, error, reload } = useLoaded(tenantName, {
    load: (signal) => ask<Answer>('/v1/tenant', { query: { tenantName }, signal }),
  });
  const tenant = data?.data;
  return (
    <>
      <PageTitle text={words.tenant.title} />
      {!isManager && <p class="notice">{words.common.noRight}</p>}
      {query.has(storedMark) && (
        <p class="notice" role="status">
          {words.tenant.tested}
        </p>
      )}
      {tenant?.isTrial === true && <p class="notice warn">{words.tenant.trial}</p>}
      <Failure error={error} retry={reload} />
      {tenant === undefined && error === null && <Loading />}
      {tenant !== undefined && (
        <fieldset class="bare stack" disabled={!isManager}>
          <NameForm tenant={tenant} />
          <OptionsForm tenant={tenant} reload={reload} />
          <StorageForm key={JSON.stringify(tenant.storageConfig)} tenant={tenant} reload={reload} />
          <WebhookForm tenant={tenant} reload={reload} />
        </fieldset>
      )}
    </>
  );
}

/** What saves a part of the tenant, and how that went. */
function useChange() {
  const { words, tenantName, language, toast } = useConsole();
  const { isBusy, failure, run } = useSubmit(language);
  const change = (body: object, then: () => void, text: string | null = words.common.saved) =>
    run(async () => {
      await ask('/v1/tenant', { method: 'PUT', body: { tenantName, ...body } });
      if (text !== null) toast({ text });
      then();
    });
  return { isBusy, failure, change };
}

function NameForm({ tenant }: { readonly tenant: TenantAnswer }) {
  const { words, setTenantName, isManager } = useConsole();
  const [name, setName] = useState(tenant.name);
  const { isBusy, failure, change } = useChange();
  const submit = () => change({ name }, () => setTenantName(name));
  return (
    <form class="panel" onSubmit={submitted(submit)}>
      <h2>{words.tenant.name}</h2>
      {failure}
      <div class="form">
        <Field label={words.tenant.name}>
          {(id) => (
            <input
              id={id}
              required
              maxLength={63}
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
        <p class="soft small">{words.tenant.nameHint}</p>
        {isManager && (
          <button class="button" disabled={isBusy || name === tenant.name}>
            {words.common.save}
          </button>
        )}
      </div>
    </form>
  );
}

function OptionsForm({
  tenant: { defaultOptions },
  reload,
}: {
  readonly tenant: TenantAnswer;
  readonly reload: () => void;
}) {
  const { words, isManager } = useConsole();
  const [tier, setTier] = useState(defaultOptions?.tier ?? null);
  const [strategy, setStrategy] = useState(defaultOptions?.decisionStrategy ?? 'default');
  const { isBusy, failure, change } = useChange();
  const submit = () =>
    change({ defaultOptions: tier === null ? null : { tier, decisionStrategy: strategy } }, reload);
  return (
    <form class="panel" onSubmit={submitted(submit)}>
      <h2>{words.tenant.options}</h2>
      <p class="soft">{words.tenant.optionsIntro}</p>
      {failure}
      <div class="form">
        <Choice
          label={words.upload.tier}
          texts={{ [lastUsed]: words.tenant.lastUsed, ...words.upload.tiers }}
          value={tier ?? lastUsed}
          onChoice={(value) => setTier(tiers.find((each) => each === value) ?? null)}
        />
        {tier !== null && <StrategyChoice value={strategy} onChoice={setStrategy} />}
        {isManager && (
          <button class="button" disabled={isBusy}>
            {words.common.save}
          </button>
        )}
      </div>
    </form>
  );
}

const lastUsed = '';

type Kind = 'own' | 's3' | 'azure';
type Draft = Readonly<Record<string, string | boolean>>;
const fieldsOf = {
  s3: ['endpoint', 'port', 'bucketName', 'region', 'accessKeyId', 'secretAccessKey'],
  azure: ['containerName', 'connectionString'],
} as const;
const secrets: ReadonlySet<string> = new Set(['secretAccessKey', 'connectionString']);

function StorageForm({
  tenant,
  reload,
}: {
  readonly tenant: TenantAnswer;
  readonly reload: () => void;
}) {
  const { words, isManager } = useConsole();
  const { tenant: text } = words;
  const stored = tenant.storageConfig;
  const storedKind: Kind = stored === undefined ? 'own' : 's3' in stored ? 's3' : 'azure';
  const [kind, setKind] = useState<Kind>(storedKind);
  const [draft, setDraft] = useState<Draft>(() =>
    stored === undefined ? { useSSL: true } : draftOf('s3' in stored ? stored.s3 : stored.azure),
  );
  const { isBusy, failure, change } = useChange();
  const opensAnew = storedKind === 'own' && kind !== 'own';
  const submit = () =>
    change(
      kind === 'own'
        ? { storageConfig: null }
        : { storageType: kind, storageConfig: { [kind]: configOf(kind, draft) } },
      opensAnew ? openAnew : reload,
      opensAnew ? null : text.tested,
    );
  const set = (name: string, value: string | boolean) => setDraft({ ...draft, [name]: value });
  return (
    <form class="panel" onSubmit={submitted(submit)}>
      <h2>{text.storage}</h2>
      <p class="soft">{text.storageIntro}</p>
      {tenant.storageWarning !== null && (
        <p class="notice warn">
          {text.warning}: {tenant.storageWarning}
        </p>
      )}
      {failure}
      <div class="form">
        <Field label={text.storage}>
          {(id) => (
            <select
              id={id}
              value={kind}
              onChange={({ currentTarget: { value } }) =>
                setKind(value === 's3' || value === 'azure' ? value : 'own')
              }
            >
              {(['own', 's3', 'azure'] as const).map((each) => (
                <option key={each} value={each}>
                  {text.kinds[each]}
                </option>
              ))}
            </select>
          )}
        </Field>
        {kind !== 'own' &&
          fieldsOf[kind].map((name) => (
            <Field key={name} label={text.fields[name]}>
              {(id) =>
                fieldOf(secrets.has(name) ? 'password' : 'text', {
                  id,
                  autocomplete: 'off',
                  required: name !== 'port' && name !== 'region',
                  value: String(draft[name] ?? ''),
                  onInput: ({ currentTarget }) => set(name, currentTarget.value),
                })
              }
            </Field>
          ))}
        {kind !== 'own' && kind === storedKind && <p class="soft small">{text.secretKept}</p>}
        {kind === 's3' && (
          <label class="check">
            <input
              type="checkbox"
              checked={draft['useSSL'] !== false}
              onChange={({ currentTarget }) => set('useSSL', currentTarget.checked)}
            />
            {text.fields.useSSL}
          </label>
        )}
        {isManager && (
          <button class="button" disabled={isBusy || (kind === 'own' && storedKind === 'own')}>
            {kind === 'own' ? words.common.save : text.test}
          </button>
        )}
      </div>
    </form>
  );
}

/** This page came with a policy that lets it send to the store of the service alone; the next one may reach others. */
function openAnew(): void {
  history.replaceState(null, '', `#/tenant?${storedMark}`);
  location.reload();
}

function draftOf(config: object): Draft {
  const entries = Object.entries(config).map(([name, value]) => [
    name,
    typeof value === 'boolean' ? value : String(value),
  ]);
  return Object.fromEntries(entries);
}

function configOf(kind: 's3' | 'azure', draft: Draft): object {
  const texts = fieldsOf[kind].flatMap((name) => {
    const value = String(draft[name] ?? '').trim();
    return value === '' ? [] : [[name, name === 'port' ? Number(value) : value] as const];
  });
  const ssl = kind === 's3' ? { useSSL: draft['useSSL'] !== false } : {};
  return { ...Object.fromEntries(texts), ...ssl };
}

function WebhookForm({
  tenant,
  reload,
}: {
  readonly tenant: TenantAnswer;
  readonly reload: () => void;
}) {
  const { words, isManager } = useConsole();
  const { tenant: text } = words;
  const [url, setUrl] = useState(tenant.webhookUrl ?? '');
  const { isBusy, failure, change } = useChange();
  const submit = () => change({ webhookUrl: url === '' ? null : url }, reload);
  const { webhookState } = tenant;
  const isWell = webhookState === 'active' || webhookState === 'none';
  return (
    <form class="panel" onSubmit={submitted(submit)}>
      <h2>{text.webhook}</h2>
      <p class="soft">{text.webhookIntro}</p>
      <p class={isWell ? 'soft small' : 'notice warn'}>{text.states[webhookState]}</p>
      {isManager && webhookState !== 'none' && (
        <p>
          <a href="#/webhooks">{text.messages}</a>
        </p>
      )}
      {failure}
      <div class="form">
        <Field label={text.webhookUrl}>
          {(id) => (
            <input
              id={id}
              type="url"
              maxLength={2048}
              value={url}
              onInput={({ currentTarget }) => setUrl(currentTarget.value)}
            />
          )}
        </Field>
        {isManager && (
          <button class="button" disabled={isBusy || url === (tenant.webhookUrl ?? '')}>
            {words.common.save}
          </button>
        )}
      </div>
    </form>
  );
}
