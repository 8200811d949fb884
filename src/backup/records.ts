/** What an archive held against what it says of itself: the list of hashes, the manifest, the hash of the manifest. */

import { type Manifest, names, parseManifest, sumLine } from './manifest.ts';

export interface Archive {
  /** Null when it is missing or no manifest. */
  readonly manifest: Manifest | null;
  readonly manifestSha256: string | null;
  /** Bytes by name, of every file but those of the backup itself. */
  readonly files: ReadonlyMap<string, number>;
  /** Sentences; none for an archive that is, byte for byte, what was written. */
  readonly problems: readonly string[];
}

/** What was found, entry by entry. */
export interface Records {
  /** Bytes by name. */
  readonly files: Map<string, number>;
  /** SHA-256 by name, of everything. */
  readonly hashes: Map<string, string>;
  /** Contents of the backup's own entries by name. */
  readonly texts: Map<string, string>;
  /** The time that every head bears, in seconds since 1970. */
  at: number | null;
}

// A backup whose disk is dying has thousands; the first ones tell enough.
const mostTold = 20;

/** @param fault - what ended the reading early. */
export function judgeRecords(records: Records, fault: string | null): Archive {
  const { files, hashes, texts } = records;
  const manifest = parseManifest(texts.get(names.manifest) ?? '');
  const found = fault === null ? [] : [fault];
  const problems = [...found, ...judgeManifest(records, manifest), ...judgeSums(records, manifest)];
  return {
    manifest,
    manifestSha256: hashes.get(names.manifest) ?? null,
    files,
    problems: problems.slice(0, mostTold),
  };
}

function judgeManifest({ files, hashes, texts, at }: Records, manifest: Manifest | null) {
  const hash = hashes.get(names.manifest);
  if (hash === undefined) return [`${names.manifest} is missing.`];
  const told = texts.get(names.manifestSum);
  if (told === undefined) return [`${names.manifestSum} is missing.`];
  if (told !== sumLine(hash, names.manifest)) {
    return [`${names.manifest} is not what ${names.manifestSum} says.`];
  }
  if (manifest === null) return [`${names.manifest} is none that this version can read.`];
  const bytes = [...files.values()].reduce((sum, size) => sum + size, 0);
  const isSame = manifest.files === files.size && manifest.bytes === bytes;
  const isTimely = Math.floor(Date.parse(manifest.createdAt) / 1000) === at;
  return [
    ...(isSame ? [] : [`It holds other files than ${names.manifest} says.`]),
    ...(isTimely ? [] : ['The time of its entries was changed.']),
  ];
}

function judgeSums({ files, hashes, texts }: Records, manifest: Manifest | null): string[] {
  const listed = texts.get(names.sums);
  if (listed === undefined) return [`${names.sums} is missing.`];
  const lines = [...files.keys()].map((name) => sumLine(hashes.get(name)!, name));
  if (lines.join('') === listed) return [];
  if (manifest !== null && manifest.sums !== hashes.get(names.sums)) {
    return [`${names.sums} is not what ${names.manifest} says.`];
  }
  const expected = new Set(listed.split('\n').map((line) => `${line}\n`));
  const wrong = [...files.keys()].filter((_, index) => !expected.has(lines[index]!));
  const missing = listed
    .split('\n')
    .map((line) => line.slice(66))
    .filter((name) => name !== '' && !files.has(name));
  const told = [
    ...wrong.map((name) => `${name} is not what it was when it was saved.`),
    ...missing.map((name) => `${name} is missing.`),
  ];
  return told.length > 0 ? told : [`Its files stand in another order than in ${names.sums}.`];
}
