/** `forensics webhooks replay`. */

import { replay as putBack } from '../../webhooks/replay.ts';
import { usageError } from '../failure.ts';
import { tenantNamed } from '../../app/tenant-named.ts';
import { withLocalCore } from '../local-core.ts';
import { print, printJson, say } from '../talk.ts';
import type { WebhookOptions } from './options.ts';

export interface ReplayOptions extends WebhookOptions {
  readonly givenUp: boolean;
}

export async function replay(id: string | undefined, options: ReplayOptions): Promise<void> {
  const which = whichOf(id, options);
  const replayed = await withLocalCore(options, async (core) => {
    const { id: tenantId } = await tenantNamed(core, options.tenant);
    return putBack(core.database.db, { tenantId, which, at: new Date() });
  });
  if (options.json) return printJson({ replayed });
  for (const message of replayed) print(message.id);
  say(
    replayed.length === 0
      ? 'No message was given up.'
      : `Back in line: ${replayed.length}. The server of this data folder sends them.`,
  );
}

function whichOf(id: string | undefined, { givenUp }: ReplayOptions) {
  if (id !== undefined && !givenUp) return { id };
  if (id === undefined && givenUp) return 'given_up';
  throw usageError('Say which: the id of one message, or --given-up for all of those.');
}
