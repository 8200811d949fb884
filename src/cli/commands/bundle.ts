/** `forensics verify` checks an evidence bundle; `forensics reproduce` repeats its examination. Both work offline. */

import { Option } from 'commander';
import { exitCodes, usageError } from '../../contract/errors.ts';
import type {
  Manifest,
  Verification,
  VerifiedPicture,
  VerifyOptions,
} from '../../evidence/bundle-format.ts';
import { readPublicKey } from '../../evidence/sign.ts';
import { verifyBundle } from '../../evidence/verify.ts';
import type { Command, TextOptions } from '../options.ts';
import { listRows, printCard, type Row } from '../output/layout.ts';
import { paint, printable, printJson, readText } from '../output/terminal.ts';
import { modelsFolder } from '../../ports/data-folder/data-folder.ts';
import { withoutUndefined } from '../../contract/common.ts';
import { readConfig } from '../../contract/config.ts';
import {
  type FieldDifference,
  type FileComparison,
  numberTolerance,
  type Reproduction,
} from '../../evidence/compare.ts';

export function defineVerify(command: Command): void {
  describeExpectedKey(command.argument('<bundle>', 'the zip file written by report or analyze'))
    .option('--json', 'print JSON', false)
    .helpAfter(`
Specify --key or --fingerprint: the key inside the bundle could be anyone's.`)
    .examples('evidence.zip --key examiner.pem', 'evidence.zip --json')
    .helpAfter(`
Exit codes: 0 the bundle is intact, 1 not a bundle, 4 no such file, 7 the bundle is damaged or was signed with a different key.`)
    .action(verify);
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
  if (key !== null) {
    const { fingerprint, isExpected } = key;
    const words =
      isExpected === null
        ? 'Anyone could have signed it: compare this fingerprint with one you received separately from the bundle (--fingerprint).'
        : `This is ${isExpected ? '' : 'not '}the key you expected.`;
    rows.push(['Key', `Ed25519 ${fingerprint}`], ['', words]);
  }
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

interface ReproduceOptions extends KeyOptions, TextOptions<'original' | 'trustList' | 'modelsDir'> {
  readonly json: boolean;
}

export function defineReproduce(command: Command): void {
  describeExpectedKey(command.argument('<bundle>', 'the zip file written by report or analyze'))
    .option(
      '--original <file>',
      'the picture, or the PDF that contains it, if the bundle has only hashes',
    )
    .option(
      '--trust-list <file>',
      'the list of trusted signers, if the bundle does not contain it (PEM)',
    )
    .option(
      '--models-dir <dir>',
      "the folder that contains the model's folder (default: the modelsDir setting)",
    )
    .option('--json', 'print JSON', false)
    .examples('evidence.zip', 'evidence.zip --original photo.jpg --json')
    .helpAfter(`
Exit codes: 0 identical, or the same result within the tolerance; 4 the bundle's model is not installed;
7 the bundle is damaged, or the result differs.`)
    .action(reproduce);
}

async function reproduce(bundle: string, options: ReproduceOptions): Promise<void> {
  const { reproduceBundle } = await import('../../evidence/reproduce.ts');
  const { createSandbox } = await import('../../examiner/sandbox.ts');
  const { original, trustList, modelsDir, json } = options;
  const { settings } = readConfig({ flags: { modelsDir } });
  const found = await reproduceBundle(createSandbox, bundle, {
    ...(await expectedKey(options)),
    ...withoutUndefined({ original, trustList }),
    modelsDir: modelsFolder(settings),
  });
  const { colour, title, meaning } = outcomes[found.outcome];
  const words = paint(process.stdout)(['bold', colour], title);
  if (json) printJson(found);
  else
    printCard(`${printable(bundle)}: ${words}`, [['Outcome', meaning], ...comparisonRows(found)]);
  if (found.outcome === 'different') process.exitCode = exitCodes.integrityFailure;
}

const outcomes = {
  identical: {
    colour: 'green',
    title: 'IDENTICAL',
    meaning: 'every value, pixel and byte of the reports is the same',
  },
  'same-result': {
    colour: 'green',
    title: 'SAME RESULT, but not byte for byte',
    meaning: `same verdict; numbers within ${numberTolerance}, pixels within one step of the colour scale`,
  },
  different: {
    colour: 'red',
    title: 'DIFFERENT',
    meaning: 'the result differs from the bundle',
  },
} as const;

/** Maximum number of differences printed; the JSON output has all of them. */
const maxDifferences = 20;

function comparisonRows(found: Reproduction): readonly Row[] {
  const { verdict, model, valuesCompared, differences, files, environment } = found;
  const other = files.filter(({ isIdentical }) => !isIdentical);
  const rest = differences.length - maxDifferences;
  const elsewhere = environment.map(({ name, recorded, found: here }) =>
    printable(`${name}: ${recorded ?? 'unknown'} in the bundle, ${here ?? 'unknown'} here`),
  );
  return [
    ['Verdict', `${printable(verdict.recorded)} in the bundle, ${verdict.found} here`],
    ['Model', `${model.id} ${model.version}, with the same files as in the bundle`],
    ['Compared', `${valuesCompared} values and ${files.length} files`],
    ...listRows('Values', differences.slice(0, maxDifferences).map(differenceLine)),
    ...(rest > 0 ? [['', `... and ${rest} more; --json lists them all`] as const] : []),
    ...listRows('Files', other.map(fileLine)),
    ...listRows('Elsewhere', elsewhere),
  ];
}

function differenceLine({ path, recorded, found, kind }: FieldDifference): string {
  const values =
    kind === 'wording' ? 'different wording' : `${shown(recorded)}, now ${shown(found)}`;
  return `${printable(path)}: ${values}${kind === 'rounding' ? ' (within the tolerance)' : ''}`;
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return printable(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}

function fileLine({ name, pixels, isTolerated }: FileComparison): string {
  if (pixels === null)
    return `${name}: different bytes${isTolerated ? ', as expected from a different version' : ''}`;
  const farthest = `${(100 * pixels.largest).toFixed(2)}% of the scale`;
  return `${name}: ${pixels.differing} samples differ, by ${farthest} at most`;
}
