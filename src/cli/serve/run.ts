/** Opens everything, listens, tells how to use it, and closes everything again when asked to stop. */

import type { SettingFlags } from './flags.ts';
import { openApp } from '../../app.ts';
import { openDataFolder } from '../../app/data-folder.ts';
import { makeFirstTenant } from '../../app/first-run.ts';
import { lockForServing } from '../../app/serve-lock.ts';
import { withStack } from '../../app/stack.ts';
import { readConfig } from '../../config.ts';
import type { HttpServer } from '../../server/server.ts';
import { tellUpgrade } from '../local-core.ts';
import { say } from '../talk.ts';
import { listen } from './listen.ts';
import { serverOf } from './server-of.ts';
import { stopRequested } from './stop.ts';
import { readyJson, welcome } from './welcome.ts';
import type { Ready } from './welcome.ts';

export type ServeOptions = SettingFlags<'serve'> & { readonly json: boolean };

/** Returns after a clean stop. */
export async function runServe(options: ServeOptions): Promise<void> {
  const { json, config, ...flags } = options;
  const { settings } = readConfig({
    flags,
    ...(config === undefined ? {} : { configFile: config }),
  });
  const stop = stopRequested();
  await withStack(async (stack) => {
    const folder = openDataFolder(settings);
    stack.defer(lockForServing(folder.path));
    let server: HttpServer | null = null;
    const app = await openApp(settings, {
      onError: (what, error) => server?.log.error({ err: error }, what),
      onNotice: (what, facts) => server?.log.info(facts, what),
      onWarning: (what, facts) => server?.log.warn(facts, what),
    });
    stack.defer(() => app.close());
    tellUpgrade(app.database);
    const made = await serverOf(app, settings, stack);
    server = made.server;
    await app.proveStorage();
    const ready = { ...(await listen(server, settings)), authority: made.authority };
    app.setPublicUrl(new URL(ready.url));
    app.startWork();
    const firstRun = await makeFirstTenant(app, new Date());
    tellReady({ ...ready, isBehindProxy: settings.behindProxy, firstRun }, { json });
    await stop;
    say('Stopping; a second signal stops at once.');
    await stack.unwind();
  });
}

function tellReady(ready: Ready, { json }: { json: boolean }): void {
  const text = json ? `${readyJson(ready)}\n` : welcome(ready);
  if (text !== null) process.stdout.write(text);
  say(`Listening on ${ready.url}`);
}
