import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { configFolder } from '../../contract/config.ts';
import type { SettingName } from '../../contract/settings.ts';
import { writeOnce } from '../../ports/files/atomic-write.ts';

/** Begins the config file with one setting, where there is none yet. @returns its path. @throws as `writeOnce`. */
export function keepSetting(name: SettingName, value: string): string {
  const folder = configFolder();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'config.json');
  writeOnce(file, `${JSON.stringify({ [name]: value }, null, 2)}\n`);
  return file;
}
