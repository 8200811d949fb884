/** `forensics user settings`: shows them, after the change when one was asked for. */

import { printFields } from '../print-fields.ts';
import { withService } from '../service/open.ts';
import type { ServiceOptions } from '../service-options.ts';

export interface SettingsOptions extends ServiceOptions {
  readonly lang?: string;
  readonly tosAccepted?: 'true' | 'false';
}

export async function settings(who: string | undefined, options: SettingsOptions): Promise<void> {
  const { lang, tosAccepted } = options;
  const change = {
    ...(lang === undefined ? {} : { lang }),
    ...(tosAccepted === undefined ? {} : { tosAccepted: tosAccepted === 'true' }),
  };
  const chosen = await withService(options, async (service) =>
    service.settings.change(who ?? null, change),
  );
  printFields(chosen, options);
}
