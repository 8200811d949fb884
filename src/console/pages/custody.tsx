/** The chain of custody of an analysis: what happened to its picture, when, and who did it. */

import type { CustodyStep } from '../../contract/verification.ts';
import { writeActor } from '../../present/report-item.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { useLoaded } from '../parts/loading.ts';
import { Failure, Panel, Time } from '../parts/pieces.tsx';

export function Custody({ id }: { readonly id: string }) {
  const { words, tenantName, language } = useConsole();
  const { analysis: text } = words;
  const { data, error, reload } = useLoaded(`custody ${tenantName} ${id}`, {
    load: async (signal) => {
      const query = { tenantName, id };
      const path = '/v1/analysis/custody';
      return (await ask<{ readonly data: readonly CustodyStep[] }>(path, { query, signal })).data;
    },
  });
  const { custody } = wordsIn(language).document;
  const events: Readonly<Record<string, string>> = custody.events;
  return (
    <Panel title={text.custody}>
      <Failure error={error} retry={reload} />
      {data?.length === 0 && <p class="soft">{text.noCustody}</p>}
      <ol class="plain">
        {data?.map(({ at, actor, actorName, event, hashes }, index) => (
          <li key={index} class="finding">
            <div class="row apart">
              <strong>{events[event] ?? event}</strong>
              <span class="soft small">
                <Time at={at} /> ·{' '}
                <bdi title={actor}>{writeActor(named(actor, actorName), custody.actors)}</bdi>
              </span>
            </div>
            {hashes.length > 0 && (
              <details class="small soft">
                <summary>{text.hashes}</summary>
                {hashes.map(({ name, sha256 }) => (
                  <p key={name} class="mono">
                    {name} {sha256}
                  </p>
                ))}
              </details>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** `user 6f1c...` becomes `user Anna Examiner`. */
function named(actor: string, name: string | null): string {
  return name === null ? actor : actor.replace(/\S+$/, () => name);
}
