import type { ComponentChild } from 'preact';
import type { Intake } from '../../contract/limits.ts';
import { ApiError, askWhole } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { useLoaded } from '../parts/loading.ts';
import { Facts, Failure, Loading, PageTitle, Panel, writeTime } from '../parts/pieces.tsx';

/** `data`: the state of each check; `intake`: which pictures are accepted. */
interface Answer {
  readonly data: Readonly<Record<string, 'ok' | 'degraded'>>;
  readonly intake: Intake;
}

const pauseMs = 30_000;

/** The health checks of the service. */
export function HealthPage() {
  const { nav, health, language } = useConsole();
  const { data, error, reload } = useLoaded('health', {
    load: async (signal) => {
      const { data: checks, intake } = (await askWhole<Answer>('/v1/health', { signal })).json;
      return { intake, checks: Object.entries(checks), at: Date.now() };
    },
    pause: () => pauseMs,
  });
  // The body of this response says what is wrong.
  const isUnhealthy = error instanceof ApiError && error.code === 'unhealthy';
  return (
    <>
      <PageTitle text={nav.health} />
      <Failure error={error} retry={reload} />
      {isUnhealthy && <span class="badge failed">{health.failing}</span>}
      {data === null && error === null && <Loading />}
      {data !== null && !isUnhealthy && (
        <Panel>
          <Facts
            rows={[
              ...data.checks.map(([name, state]): [string, ComponentChild] => [
                health.checks[name] ?? name,
                <span class={`badge ${state}`}>{health[state]}</span>,
              ]),
              [health.intake, health.intakes[data.intake]],
            ]}
          />
          <p class="soft small">
            {health.checkedAt(writeTime(new Date(data.at).toISOString(), language))}
          </p>
        </Panel>
      )}
    </>
  );
}
