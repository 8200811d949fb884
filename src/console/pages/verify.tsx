/** Whether a signed bundle is what was signed, and what is in it. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Verification } from '../../contract/verification.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { Button, Failure, PageTitle, writeTime } from '../parts/pieces.tsx';

export function VerifyPage() {
  const { words, tenantName, language } = useConsole();
  const { verify } = words;
  const [found, setFound] = useState<(Verification & { readonly name: string }) | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  const check = async (file: File): Promise<void> => {
    setBusy(true);
    setFound(null);
    setError(null);
    try {
      const { data } = await ask<{ readonly data: Verification }>('/v1/bundle/verify', {
        method: 'POST',
        query: { tenantName },
        body: file,
      });
      setFound({ ...data, name: file.name });
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  const latest = useRef(check);
  latest.current = check;
  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) void latest.current(file);
    };
    addEventListener('dragover', over);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('drop', drop);
    };
  }, []);
  return (
    <>
      <PageTitle text={verify.title} />
      <p class="soft">{verify.intro}</p>
      <div class="drop">
        <h2>{verify.drop}</h2>
        <Button kind="main" disabled={isBusy} onClick={() => input.current?.click()}>
          {verify.choose}
        </Button>
        <input
          ref={input}
          type="file"
          hidden
          accept=".zip,application/zip"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            currentTarget.value = '';
            if (file !== undefined) void check(file);
          }}
        />
      </div>
      {isBusy && (
        <p class="soft" role="status">
          {verify.checking}
        </p>
      )}
      <Failure error={error} />
      {found !== null && <Found found={found} language={language} />}
    </>
  );
}

function Found({
  found,
  language,
}: {
  readonly found: Verification & { readonly name: string };
  readonly language: string;
}) {
  const { verify } = useConsole().words;
  const { holds, problems, key, manifest, verdict, name } = found;
  const isOwn = key?.isOwn === true;
  const title = holds ? (isOwn ? verify.holdsOwn : verify.holds) : verify.broken;
  const rows: readonly (readonly [string, string])[] = [
    ...(manifest === null
      ? []
      : ([
          [verify.picture, `${manifest.item.name} · SHA-256 ${manifest.item.sha256}`],
          [verify.examinedAt, writeTime(manifest.examinedAt, language)],
          [verify.signedAt, writeTime(manifest.signedAt, language)],
          [verify.product, manifest.product],
          [verify.files, manifest.files.map((file) => file.name).join(', ')],
        ] as const)),
    ...(verdict === null ? [] : ([[verify.verdict, verdict]] as const)),
    ...(key === null ? [] : ([[verify.key, key.fingerprint]] as const)),
  ];
  return (
    <section
      class={`panel verdict ${holds ? (isOwn ? 'real' : 'uncertain') : 'fake'}`}
      role="status"
    >
      <div>
        <h2>{title}</h2>
        <p class="soft small">
          <bdi>{name}</bdi>
        </p>
      </div>
      {holds && !isOwn && <p class="notice warn">{verify.unknownKey}</p>}
      {problems.length > 0 && (
        <>
          <h3>{verify.problems}</h3>
          <ul class="dots">
            {problems.map(({ message }) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </>
      )}
      <dl class="facts">
        {rows.map(([label, value]) => (
          <>
            <dt key={label}>{label}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}
