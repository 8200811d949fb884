/** Acts of administration on the data folder of this machine, whether a server runs on it or not. */

import { type Core, hasInstallation, openCore } from '../../app/core.ts';
import { readConfig, type Settings } from '../../config/config.ts';
import { ForensicsError } from '../../errors.ts';
import { say } from '../output/print.ts';

export interface LocalOptions {
  readonly dataDir?: string;
  readonly config?: string;
}

/**
 * Opens the data folder for one act and closes it again, also when the act fails.
 *
 * @throws {ForensicsError} `not_found` when nothing was set up there.
 */
export async function withLocalCore<T>(
  options: LocalOptions,
  act: (core: Core, settings: Settings) => Promise<T>,
): Promise<T> {
  return withCore(installedSettings(options), act);
}

/** The same for the one act that may be the first in a data folder. */
export async function withNewCore<T>(
  options: LocalOptions,
  act: (core: Core, settings: Settings) => Promise<T>,
): Promise<T> {
  return withCore(settingsFor(options), act);
}

/** @throws {ForensicsError} `not_found` when nothing was set up in the data folder. */
export function installedSettings(options: LocalOptions): Settings {
  const settings = settingsFor(options);
  if (hasInstallation(settings)) return settings;
  throw new ForensicsError(
    'not_found',
    'Nothing was set up in this data folder; name another with --data-dir, or begin with "forensics serve".',
  );
}

export function settingsFor(options: LocalOptions & { readonly publicUrl?: string }): Settings {
  const { dataDir, publicUrl, config } = options;
  const { settings } = readConfig({
    flags: { dataDir, publicUrl },
    ...(config === undefined ? {} : { configFile: config }),
  });
  say(`Acting on the data folder ${settings.dataDir}`);
  return settings;
}

async function withCore<T>(
  settings: Settings,
  act: (core: Core, settings: Settings) => Promise<T>,
): Promise<T> {
  const core = openCore(settings);
  tellUpgrade(core.database);
  try {
    return await act(core, settings);
  } finally {
    core.close();
  }
}

/** Nobody asked for it, so it is told: the way back to the earlier version is the copy. */
export function tellUpgrade({ upgrade }: Pick<Core['database'], 'upgrade'>): void {
  if (upgrade === null) return;
  const { from, to, copy } = upgrade;
  const kept = copy === null ? '' : `; a copy as it was before lies in ${copy}`;
  say(`The database was brought from schema ${from} to ${to}${kept}`);
}
