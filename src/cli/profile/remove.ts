/** `forensics profile remove`. */

import { alone, forgetCredentials, readCredentials } from '../server/credentials.ts';
import { profileNamed, removeProfile } from '../server/profiles.ts';
import { say } from '../talk.ts';

export async function remove(name: string): Promise<void> {
  const profile = profileNamed(name);
  const hadSession = readCredentials(name)?.kind === 'session';
  await alone(name, async () => {
    forgetCredentials(name);
    removeProfile(name);
  });
  say(`The profile "${name}" is forgotten.`);
  if (hadSession) say(`Its session on ${profile.url} goes on until it ends by itself.`);
}
