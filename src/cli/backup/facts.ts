/** What a backup says of itself, as rows of a card. */

import type { Manifest } from '../../backup/manifest.ts';
import type { Verified } from '../../backup/verify.ts';
import { listRows, type Row } from '../card.ts';
import { printable } from '../printable.ts';

export function factsOf({
  manifest,
  manifestSha256,
}: Pick<Verified, 'manifest' | 'manifestSha256'>): readonly Row[] {
  if (manifest === null) return [];
  const { createdAt, program, schema, files, bytes, rows } = manifest;
  return [
    ['Of', `${printable(createdAt)}, by version ${printable(program)}`],
    [
      'Holds',
      `${counted(rows['tenants'], 'tenant')}, ${counted(rows['analyses'], 'analysis', 'analyses')}`,
    ],
    ['Files', `${counted(files, 'file')}, ${sizeOf(bytes)}`],
    ['Database', `schema ${schema}`],
    ['Keys', keysIn(manifest)],
    ...absentRows(manifest),
    ...listRows('Elsewhere', manifest.elsewhere.map(wordsForStore)),
    ['SHA-256', `${manifestSha256} (of its manifest)`],
  ];
}

function keysIn({ holdsKeys, masterKey }: Manifest): string {
  if (masterKey.place !== 'environment') {
    return holdsKeys ? 'master key, signing keys, certificates' : 'none: they are kept apart';
  }
  const others = holdsKeys ? 'the others are' : 'nor are the others';
  return `the master key is not in it (FORENSICS_MASTER_KEY), ${others}`;
}

function absentRows({ absent }: Manifest): readonly Row[] {
  if (absent.length === 0) return [];
  const originals = absent.filter(({ isEvidence }) => isEvidence).length;
  const told = `${counted(absent.length, 'object')} that rows name ${absent.length === 1 ? 'was' : 'were'} not in the store: not uploaded yet, or deleted`;
  if (originals === 0) return [['Absent', told]];
  return [['Absent', `${told}; of these, ${counted(originals, 'examined original')}`]];
}

function wordsForStore({ type, place, analyses }: Manifest['elsewhere'][number]): string {
  const where = printable(place.slice(type.length + 1));
  return `${counted(analyses, 'analysis', 'analyses')} with objects in ${where}, which are not in the backup`;
}

export function counted(count = 0, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function sizeOf(bytes: number): string {
  return bytes < 1e9
    ? `${Math.max(0.1, bytes / 1e6).toFixed(1)} MB`
    : `${(bytes / 1e9).toFixed(1)} GB`;
}
