/** `forensics verify`: checks that an evidence bundle is exactly what was signed. Needs no server, network or data. */

import { Option } from 'commander';
import type { Command } from '../command.ts';
import { exitCodes } from '../../errors.ts';
import type {
  Manifest,
  Verification,
  VerifiedPicture,
  VerifyOptions,
} from '../../evidence/bundle-format.ts';
import { readPublicKey } from '../../evidence/sign.ts';
import { verifyBundle } from '../../evidence/verify.ts';
import { usageError } from '../errors.ts';
import { calling, type TextOptions } from '../options.ts';
import { listRows, printCard, type Row } from '../output/layout.ts';
import { readText } from '../input.ts';
import { paint, printable, printJson } from '../output/terminal.ts';

export function defineVerify(command: Command): void {
  describeExpectedKey(command.argument('<bundle>', 'the zip file written by report or analyze'))
    .option('--json', 'print JSON', false)
    .helpAfter(`
Without --key or --fingerprint, anyone could have signed it, because the key is part of the bundle.`)
    .examples('evidence.zip --key examiner.pem', 'evidence.zip --json')
    .helpAfter(`
Exit codes: 0 the bundle is intact, 1 not a bundle, 4 no such file, 7 the bundle is damaged or was signed with a different key.`)
    .action(calling(verify));
}

async function verify(bundle: string, options: KeyOptions & { readonly json: boolean }) {
  const found = await verifyBundle(bundle, await expectedKey(options));
  if (options.json) printJson(found);
  else {
    const [style, words] = chooseTitle(found);
    const title = `${printable(bundle)}: ${paint(process.stdout)(['bold', style], words)}`;
    printCard(title, toRows(found));
  }
  if (!found.holds) process.exitCode = exitCodes.integrityFailure;
}

/** A forger can sign a forgery with their own key, so an intact bundle need not be genuine. */
function chooseTitle({ holds, key }: Verification) {
  if (!holds) return ['red', 'NOT VALID'] as const;
  return key?.isExpected === true
    ? (['green', 'VALID'] as const)
    : (['yellow', 'VALID, but no expected key was given'] as const);
}

function toRows(found: Verification): readonly Row[] {
  const { manifest, key, verdict, problems, pictures } = found;
  const messages = problems.map(({ message }) => printable(message));
  const rows: Row[] = [...listRows('Problem', messages)];
  if (manifest !== null) rows.push(...filesRows(manifest, found));
  if (key !== null) rows.push(...keyRows(key));
  if (manifest !== null) {
    rows.push(...(pictures ? caseRows(manifest, pictures) : itemRows(manifest, found)));
  }
  if (verdict !== null) rows.push(['Result', printable(verdict)]);
  return rows;
}

function filesRows({ files, signedAt, product }: Manifest, { holds }: Verification): Row[] {
  const signed = `${signedAt}, by the clock of the signing machine, with ${printable(product)}`;
  if (!holds) return [['Signed', signed]];
  const whole = `all ${files.length} are byte for byte as signed; none is missing and none was added`;
  const scope =
    'reports and heatmaps were signed together with this result; "forensics reproduce" checks that they follow from the picture';
  return [
    ['Files', whole],
    ['', scope],
    ['Signed', signed],
  ];
}

function keyRows({ fingerprint, isExpected }: NonNullable<Verification['key']>): Row[] {
  const words =
    isExpected === null
      ? 'Anyone could have signed it: compare this fingerprint with one you received separately from the bundle (--fingerprint).'
      : `This is ${isExpected ? '' : 'not '}the key you expected.`;
  return [
    ['Key', `Ed25519 ${fingerprint}`],
    ['', words],
  ];
}

function caseRows({ item }: Manifest, pictures: readonly VerifiedPicture[]): readonly Row[] {
  const lines = pictures.map(({ file, name, verdict, holds }) => {
    const result = holds ? (verdict ?? '') : 'NOT VALID';
    return `${file}: ${printable(name ?? '?')}, ${result}`;
  });
  return [['Case', printable(item.name)], ...listRows('Pictures', lines)];
}

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
    return 'not in the bundle; compare its SHA-256 with that of your own copy (sha256sum PICTURE)';
  }
  if (problems.some((problem) => problem.file === file)) {
    return `${file} in the bundle is not the picture that was examined`;
  }
  return `in the bundle as ${file}, with the SHA-256 that was examined`;
}

/** The key that the bundle is expected to be signed with. */
export type KeyOptions = TextOptions<'key' | 'fingerprint'>;

export function describeExpectedKey(command: Command): Command {
  const key = new Option('--key <file>', 'the public key that the signature must match (PEM)');
  return command
    .addOption(key.conflicts('fingerprint'))
    .option('--fingerprint <sha256>', 'the fingerprint of that key (see "signing-key show")');
}

/** @throws {ForensicsError} `usage`, `file_not_found`, `file_not_readable`. */
export async function expectedKey({ key: file, fingerprint }: KeyOptions): Promise<VerifyOptions> {
  if (fingerprint !== undefined) {
    // As people copy it: with colons, spaces and capitals.
    const digits = fingerprint.replaceAll(/[\s:]/g, '').toLowerCase();
    if (/^[0-9a-f]{64}$/.test(digits)) return { fingerprint: digits };
    throw usageError('--fingerprint must be a SHA-256: 64 hexadecimal digits.');
  }
  if (file === undefined) return {};
  const key = readPublicKey(await readText(file));
  if (key !== null) return { fingerprint: key.fingerprint };
  throw usageError(
    '--key must name a file with a public Ed25519 key in PEM format, as written by "signing-key export".',
  );
}
