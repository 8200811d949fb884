/** What verifying a bundle found, to be read by a person. */

import type { Manifest } from '../../evidence/manifest.ts';
import type { Verification } from '../../evidence/verification.ts';
import { layCard, listRows, type Row } from '../card.ts';
import { printable } from '../printable.ts';
import { columnsOf, paint } from '../terminal.ts';

export function verificationCard(name: string, found: Verification): string {
  const [style, words] = titleOf(found);
  const title = paint(process.stdout)(['bold', style], words);
  return layCard(`${printable(name)}: ${title}`, rowsOf(found), columnsOf(process.stdout));
}

/** Whoever made a forgery can sign it, with a key of their own: intact is not yet genuine. */
function titleOf({ holds, key }: Verification) {
  if (!holds) return ['red', 'DOES NOT HOLD'] as const;
  return key?.isExpected === true
    ? (['green', 'HOLDS'] as const)
    : (['yellow', 'HOLDS, but nobody said whose key it must be'] as const);
}

function rowsOf(found: Verification): readonly Row[] {
  const { manifest, key, verdict, problems } = found;
  return [
    ...listRows(
      'Problem',
      problems.map(({ message }) => printable(message)),
    ),
    ...(manifest === null ? [] : filesRows(manifest, found)),
    ...(key === null ? [] : keyRows(key)),
    ...(manifest === null ? [] : itemRows(manifest, found)),
    ...(verdict === null ? [] : [['Result', printable(verdict)] as const]),
  ];
}

function filesRows(
  { files, signedAt, product }: Manifest,
  { holds }: Verification,
): readonly Row[] {
  const whole: readonly Row[] = [
    [
      'Files',
      `all ${files.length} are, byte for byte, what was signed; none is missing, none was added`,
    ],
    [
      '',
      'reports and heatmaps were signed together with this result; that they follow from the picture, "forensics reproduce" shows',
    ],
  ];
  return [
    ...(holds ? whole : []),
    ['Signed', `${signedAt}, by the clock of the signing machine, with ${printable(product)}`],
  ];
}

function keyRows({ fingerprint, isExpected }: NonNullable<Verification['key']>): readonly Row[] {
  return [
    ['Key', `Ed25519 ${fingerprint}`],
    ['', isExpected === null ? keyWords.unknown : keyWords[isExpected ? 'expected' : 'other']],
  ];
}

const keyWords = {
  expected: 'This is the key that you expected.',
  other: 'This is not the key that you expected.',
  unknown:
    'Anybody may have signed: compare this fingerprint with one that you were given some other way than with the bundle (--fingerprint).',
};

function itemRows({ item, examinedAt }: Manifest, { problems }: Verification): readonly Row[] {
  const { name, file, sizeBytes, sha256 } = item;
  return [
    ['Picture', `${printable(name)}, ${sizeBytes} bytes, examined ${examinedAt}`],
    ['SHA-256', sha256],
    ['', originalWords(file, problems)],
  ];
}

function originalWords(file: string | null, problems: Verification['problems']): string {
  if (file === null) {
    return 'left out of the bundle; whoever has it can compare its SHA-256 (sha256sum PICTURE)';
  }
  if (problems.some((problem) => problem.file === file)) {
    return `the bundle should hold it as ${file}, but that is not the picture that was examined`;
  }
  return `in the bundle as ${file}, and it has the SHA-256 that was examined`;
}
