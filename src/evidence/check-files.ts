/** Whether the files of an archive are those of its list, and whether there is nothing else between them. */

import { manifestFile, signatureFile } from './layout.ts';
import { archiveOf, sha256Of } from './seal.ts';
import { contentOf, type Taken } from './taken.ts';
import type { Problem } from './verification.ts';

export interface Filed {
  readonly problems: readonly Problem[];
  /** Content by name of what is as the list says. */
  readonly intact: ReadonlyMap<string, Uint8Array>;
}

export function checkFiles(taken: Taken): Filed {
  const listed = new Map(taken.manifest.files.map((file) => [file.name, file]));
  const problems: Problem[] = [];
  const intact = new Map<string, Uint8Array>();
  const seen = new Set<string>();
  const add = (kind: Problem['kind'], file: string, what: string) =>
    problems.push({ kind, file, message: `${file} ${what}.` });
  for (const { name, bytes } of taken.entries) {
    const file = listed.get(name);
    if (seen.has(name)) add('added', name, 'is in the archive more than once');
    else if (file !== undefined && sha256Of(bytes) === file.sha256) intact.set(name, bytes);
    else if (file !== undefined) add('changed', name, 'was changed');
    else if (!ofTheSeal.includes(name)) add('added', name, 'was added: the list does not name it');
    seen.add(name);
  }
  for (const name of listed.keys()) if (!seen.has(name)) add('missing', name, 'is missing');
  return { problems: [...problems, ...checkContainer(taken, intact)], intact };
}

/** The two that cannot stand in the list. */
const ofTheSeal: readonly string[] = [manifestFile, signatureFile];

/** Writes the archive again from its files: whatever differs then lies between them. */
function checkContainer(taken: Taken, intact: Filed['intact']): readonly Problem[] {
  const { bytes, entries, manifest, manifestBytes } = taken;
  const signature = contentOf(taken, signatureFile);
  const files = manifest.files.flatMap(({ name }) => {
    const found = entries.find((entry) => entry.name === name);
    if (found === undefined) return [];
    // A changed file was told already: its checksum is taken as stated, so that only what lies around it is told here.
    return [intact.has(name) ? { name, bytes: found.bytes } : found];
  });
  // What is missing cannot be written again, and was told.
  if (signature === null || files.length < manifest.files.length) return [];
  let at = 0;
  for (const part of archiveOf({ manifest: manifestBytes, signature, files }, manifest)) {
    const found = bytes.subarray(at, at + part.bytes.length);
    if (Buffer.compare(found, part.bytes) !== 0) return [strayBytes(part.what, at)];
    at += part.bytes.length;
  }
  return at === bytes.length ? [] : [strayBytes('the end of the archive', at)];
}

function strayBytes(what: string, at: number): Problem {
  const message = `The archive is not as it was written: bytes were changed or added at or behind byte ${at}, ${what}.`;
  return { kind: 'container', file: null, message };
}
