/** Checks whether a signed bundle is intact, and shows what is in it. */

import { useState } from 'preact/hooks';
import type { Verification } from '../../contract/verification.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { FileButton, useFileDrop } from '../parts/files.tsx';
import { useSubmit } from '../parts/form.tsx';
import { Dots, type Fact, Facts, PageTitle, Time } from '../parts/pieces.tsx';
import { fillIn, nameIn } from '../../present/text.ts';

export function VerifyPage() {
  const { nav, verify, tenantName } = useConsole();
  const [found, setFound] = useState<(Verification & { readonly name: string }) | null>(null);
  const { isBusy, failure, submit } = useSubmit();
  const checkFirst = ([body]: readonly File[]) => {
    if (body === undefined) return;
    setFound(null);
    submit(async () => {
      const request = { query: { tenantName }, body };
      setFound({ ...(await ask<Verification>('/v1/bundle/verify', request)), name: body.name });
    });
  };
  const isHeldOver = useFileDrop(checkFirst);
  return (
    <>
      <PageTitle text={nav.verify} />
      <p class="soft">{verify.intro}</p>
      <div class={isHeldOver ? 'panel row apart drop over' : 'panel row apart drop'}>
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
      {failure}
      {found !== null && <Found found={found} />}
    </>
  );
}

function Found({ found }: { readonly found: Verification & { readonly name: string } }) {
  const { list, verify } = useConsole();
  const { holds, problems, key, manifest, verdict, name } = found;
  const isOwn = key?.isOwn === true;
  const side = holds ? (isOwn ? 'real' : 'uncertain') : 'fake';
  const title = holds ? (isOwn ? verify.holdsOwn : verify.holds) : verify.broken;
  const { item, files } = manifest ?? {};
  const rows: readonly Fact[] = [
    [list.picture, item ? <bdi>{`${item.name} · SHA-256 ${item.sha256}`}</bdi> : null],
    [verify.examinedAt, manifest && <Time at={manifest.examinedAt} />],
    [verify.signedAt, manifest && <Time at={manifest.signedAt} />],
    [verify.product, manifest && <bdi>{manifest.product}</bdi>],
    [verify.files, files ? <bdi>{files.map(({ name: file }) => file).join(', ')}</bdi> : null],
    [list.verdict, verdict && nameIn(list.results, verdict, verdict)],
    [verify.key, key && key.fingerprint],
  ];
  return (
    <section class={`panel verdict ${side}`} role="status">
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
          <Dots
            items={problems.map(({ kind, file, message }) =>
              fillIn(nameIn(verify.problemKinds, kind, message), { file: file ?? '' }),
            )}
          />
        </>
      )}
      <Facts rows={rows} />
    </section>
  );
}
