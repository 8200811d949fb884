/** `forensics user settings`: shows them, after the change when one was asked for. */

import { withLocalCore } from '../local-core.ts';
import { printFields } from '../print-fields.ts';
import type { UserOptions } from './options.ts';
import { userNamed } from './user-named.ts';

export interface SettingsOptions extends UserOptions {
  readonly lang?: string;
  readonly tosAccepted?: 'true' | 'false';
}

export async function settings(who: string, options: SettingsOptions): Promise<void> {
  const { lang, tosAccepted } = options;
  const change = {
    ...(lang === undefined ? {} : { lang }),
    ...(tosAccepted === undefined ? {} : { tosAccepted: tosAccepted === 'true' }),
  };
  const chosen = await withLocalCore(options, async (core) => {
    const { id } = await userNamed(core, who);
    return core.userSettings.change(id, change);
  });
  printFields(chosen, options);
}
