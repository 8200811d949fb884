import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../config.ts';

type Folders = Pick<Settings, 'modelsDir' | 'dataDir'>;

/** Where `forensics models add` installs: the folder that the setting names, else `models` of the data folder. */
export function installedModelsDir({ modelsDir, dataDir }: Folders): string {
  return modelsDir ?? join(dataDir, 'models');
}

/** The same, or null where nothing was ever installed; a folder that the setting names is never passed over. */
export function modelsFolder(settings: Folders): string | null {
  const folder = installedModelsDir(settings);
  return settings.modelsDir !== null || existsSync(folder) ? folder : null;
}
