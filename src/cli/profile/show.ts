/** `forensics profile show`. */

import { printFields } from '../print-fields.ts';
import { profileNamed } from '../server/profiles.ts';
import type { ProfileOptions } from './options.ts';
import { shownProfile } from './shown.ts';

export function show(name: string, options: ProfileOptions): void {
  printFields(shownProfile(profileNamed(name)), options);
}
