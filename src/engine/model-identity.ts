/** Which model it is: by what its files are, not by what it is called. */

import type { ModelManifest } from '../inference/model.ts';
import type { ModelIdentity } from './result.ts';

type Named = Pick<ModelManifest, 'id' | 'version' | 'files'>;

export function identityOf({ id, version, files }: Named): ModelIdentity {
  const digests = Object.entries(files).map(([name, { sha256 }]) => [name, sha256] as const);
  return { id, version, files: Object.fromEntries(digests) };
}

export function isSameModel(one: ModelIdentity, other: ModelIdentity): boolean {
  const names = Object.keys({ ...one.files, ...other.files });
  const hasSameFiles = names.every((name) => one.files[name] === other.files[name]);
  return one.id === other.id && one.version === other.version && hasSameFiles;
}

/** For readers. */
export function nameOfModel({ id, version }: Pick<ModelIdentity, 'id' | 'version'>): string {
  return `${id} ${version}`;
}
