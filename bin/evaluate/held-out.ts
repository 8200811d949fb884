/**
 * Likelihood ratios of pictures that nothing was fitted on: `held-out.csv` of a model folder has
 * one per line; its manifest has what reports say about them: their cost, the bounds that they
 * support, and the points of a Tippett plot.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changeKinds, parseAnyManifest } from '../../src/contract/manifest.ts';
import type { HeldOutRatios } from '../../src/contract/manifest-fields.ts';
import { heldOutRatios } from '../../src/service/validation/figures.ts';
import { parseCsv } from './data-set.ts';

const fileName = 'held-out.csv';

export interface HeldOut {
  readonly condition: string;
  /** Whether the picture is what the ratio is about: generated, or changed in part. */
  readonly isSo: boolean;
  /** Of a change; otherwise empty. */
  readonly kind: string;
  /** Natural logarithm. */
  readonly logRatio: number;
  /** The result under the default strategy. */
  readonly outcome: 'called' | 'suspected' | 'none';
}

const columns = ['condition', 'label', 'kind', 'log_ratio', 'outcome'] as const;

export function writeHeldOut(folder: string, rows: readonly HeldOut[]): void {
  const lines = rows.map(({ condition, isSo, kind, logRatio, outcome }) =>
    [`"${condition}"`, isSo ? 'so' : 'not', kind, logRatio.toFixed(4), outcome].join(','),
  );
  writeFileSync(join(folder, fileName), `${[columns.join(','), ...lines].join('\n')}\n`);
}

/** @throws {Error} without the file. */
function readHeldOut(folder: string): readonly HeldOut[] {
  const [, ...rows] = parseCsv(readFileSync(join(folder, fileName), 'utf8'));
  return rows.map(([condition = '', label, kind = '', logRatio, outcome]) => ({
    condition,
    isSo: label === 'so',
    kind,
    logRatio: Number(logRatio),
    outcome: outcome === 'called' || outcome === 'suspected' ? outcome : 'none',
  }));
}

/**
 * Writes the figures from `held-out.csv` next to the error rates of the same condition; the rest of
 * the manifest stays the same.
 */
export function recordRatios(folder: string, now: Date): readonly string[] {
  if (!existsSync(join(folder, fileName))) {
    throw new Error(`${folder} has no ${fileName}; measure the model with --record first.`);
  }
  const file = join(folder, 'manifest.json');
  const text = readFileSync(file, 'utf8');
  const raw: ManifestText = JSON.parse(text);
  const isImage = parseAnyManifest(text).type === 'image';
  const { calibrationPictures: pictures = 1, calibrationSources: sources = 1 } = raw.training ?? {};
  // The prior: half of the pictures are generated; one in five is changed (see the card of the
  // localisation model).
  const fixed = {
    recorded: now.toISOString().slice(0, 10),
    prior: isImage ? 0.5 : 0.2,
    calibration: { pictures, sources },
  };
  const byCondition = Map.groupBy(readHeldOut(folder), ({ condition }) => condition);
  const measure = (entry: Entry): Entry => {
    const rows = byCondition.get(entry.condition);
    if (rows === undefined || entry.megapixels !== undefined) return entry;
    const kinds = kindsOf(rows);
    return {
      ...entry,
      ratios: { ...fixed, ...ratiosOf(rows) },
      ...(kinds.length > 0 && {
        kinds,
        unchanged: countsOf(rows.filter(({ isSo }) => !isSo)),
      }),
    };
  };
  const field = isImage ? 'measured' : 'called';
  const measured = (raw[field] ?? []).map(measure);
  writeFileSync(file, `${JSON.stringify({ ...raw, [field]: measured }, null, 1)}\n`);
  return measured.flatMap(({ condition, ratios }) =>
    ratios === undefined
      ? []
      : [
          `${condition}: ${ratios.supporting} against ${ratios.opposing}, Cllr ${ratios.cllr}, bounds ${ratios.lower} to ${ratios.upper}`,
        ],
  );
}

interface Entry {
  readonly condition: string;
  readonly megapixels?: unknown;
  readonly ratios?: HeldOutRatios;
}

interface ManifestText {
  readonly training?: {
    readonly calibrationPictures?: number;
    readonly calibrationSources?: number;
  };
  readonly measured?: readonly Entry[];
  readonly called?: readonly Entry[];
}

function ratiosOf(rows: readonly HeldOut[]) {
  const logs = (isSo: boolean) =>
    rows.filter((row) => row.isSo === isSo).map(({ logRatio }) => logRatio);
  return heldOutRatios(logs(true), logs(false));
}

function kindsOf(rows: readonly HeldOut[]) {
  return changeKinds.flatMap((kind) => {
    const some = rows.filter((row) => row.kind === kind);
    return some.length === 0 ? [] : [{ kind, ...countsOf(some) }];
  });
}

function countsOf(rows: readonly HeldOut[]) {
  const count = (wanted: HeldOut['outcome']) =>
    rows.filter(({ outcome }) => outcome === wanted).length;
  return { pictures: rows.length, called: count('called'), suspected: count('suspected') };
}
