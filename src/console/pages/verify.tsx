/** Checks whether a signed bundle is intact, and shows what is in it. */

import { useState } from 'preact/hooks';
import type { Verification } from '../../contract/verification.ts';
import { nameIn } from '../../present/printable.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { FileButton, useFileDrop } from '../parts/files.tsx';
import { type Fact, Facts, Failure, PageTitle, Time } from '../parts/pieces.tsx';

export function VerifyPage() {
  const { words, tenantName } = useConsole();
  const { verify } = words;
  const [found, setFound] = useState<(Verification & { readonly name: string }) | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

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
  const checkFirst = ([file]: readonly File[]) => {
    if (file !== undefined) void check(file);
  };
  const isHeldOver = useFileDrop(checkFirst);
  return (
    <>
      <PageTitle text={verify.title} />
      <p class="soft">{verify.intro}</p>
      <div class={isHeldOver ? 'drop over' : 'drop'}>
        <h2>{verify.drop}</h2>
        <FileButton
          kind="main"
          label={verify.choose}
          accept=".zip,application/zip"
          disabled={isBusy}
          onFiles={checkFirst}
        />
      </div>
      {isBusy && (
        <p class="soft" role="status">
          {verify.checking}
        </p>
      )}
      <Failure error={error} />
      {found !== null && <Found found={found} />}
    </>
  );
}

function Found({ found }: { readonly found: Verification & { readonly name: string } }) {
  const { words } = useConsole();
  const { verify } = words;
  const { holds, problems, key, manifest, verdict, name } = found;
  const isOwn = key?.isOwn === true;
  const title = holds ? (isOwn ? verify.holdsOwn : verify.holds) : verify.broken;
  const rows: readonly Fact[] = [
    ...(manifest === null
      ? []
      : ([
          [verify.picture, <bdi>{`${manifest.item.name} · SHA-256 ${manifest.item.sha256}`}</bdi>],
          [verify.examinedAt, <Time at={manifest.examinedAt} />],
          [verify.signedAt, <Time at={manifest.signedAt} />],
          [verify.product, <bdi>{manifest.product}</bdi>],
          [verify.files, <bdi>{manifest.files.map((file) => file.name).join(', ')}</bdi>],
        ] as const)),
    [verify.verdict, verdict === null ? '' : nameIn(words.list.results, verdict, verdict)],
    [verify.key, key?.fingerprint ?? ''],
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
            {problems.map(({ kind, file, message }) => (
              <li key={message}>
                {nameIn(verify.problemKinds, kind, message).replace('{file}', () => file ?? '')}
              </li>
            ))}
          </ul>
        </>
      )}
      <Facts rows={rows} />
    </section>
  );
}
