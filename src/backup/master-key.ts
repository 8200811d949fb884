/** Whether the keys that a restored service would have are those of its backup. */

import { ForensicsError } from '../errors.ts';
import type { Manifest } from './manifest.ts';

export interface Keys {
  /** What the settings say; null when they leave it to a file. Where they name one, no file counts. */
  readonly ofSettings: Buffer | null;
  /** Contents of `master.key` and of the one that is about to take its place. */
  readonly ofFiles: readonly string[];
  /** Null for a text that holds no key. */
  readonly parse: (text: string) => Buffer | null;
  /** As the manifest has it. */
  readonly idOf: (key: Buffer) => string;
}

/** @throws {ForensicsError} `config_invalid`, `usage`: says where the right key has to come from. */
export function checkMasterKey({ masterKey }: Pick<Manifest, 'masterKey'>, keys: Keys): void {
  const { ofSettings, ofFiles, parse, idOf } = keys;
  const isRight = (key: Buffer | null) => key !== null && idOf(key) === masterKey.id;
  if (ofSettings !== null) {
    if (isRight(ofSettings)) return;
    throw new ForensicsError(
      'config_invalid',
      'FORENSICS_MASTER_KEY (or masterKey in the config file) is not the master key of this backup; take it away, or set it to the key of that time.',
    );
  }
  if (ofFiles.some((text) => isRight(parse(text)))) return;
  throw new ForensicsError('usage', advice[masterKey.place]);
}

const advice: Readonly<Record<Manifest['masterKey']['place'], string>> = {
  here: 'The master key in this backup is not the one of its database; take another backup.',
  apart:
    'The backup was made without keys: name the folder with the copy of master.key, signing-keys and tls of that time with --keys.',
  environment:
    'The master key was in the environment of that server: set FORENSICS_MASTER_KEY to it, and keep it set for the server.',
};
