/** Reads `manifest.json` and `statistics.json` of a model folder: unknown in, checked types out. */

import { createHash } from 'node:crypto';
import { ForensicsError } from '../errors.ts';
import type {
  Calibration,
  EmbeddingStatistics,
  MeasuredCondition,
  MeasuredRates,
  ModelManifest,
  StrategyThresholds,
} from './model.ts';

type Fields = Readonly<Record<string, unknown>>;

const quantileCount = 101;

/** @throws {ForensicsError} `model_integrity` naming the first field that is missing or impossible. */
export function parseManifest(text: string): ModelManifest {
  const root = fieldsOf(parseJson(text, 'manifest.json'), 'manifest.json');
  const input = fieldsOf(root['input'], 'input');
  const dropout = fieldsOf(root['dropout'], 'dropout');
  const calibration = fieldsOf(root['calibration'], 'calibration');
  const thresholds = fieldsOf(root['thresholds'], 'thresholds');
  if (root['type'] !== 'image') throw damaged('type is not image');

  return {
    id: identifierOf(root['id'], 'id'),
    version: textOf(root['version'], 'version'),
    type: 'image',
    created: dateOf(root['created'], 'created'),
    files: { ...filesOf(root['files']), 'manifest.json': digestOf(text) },
    input: {
      cellPx: wholeOf(input['cellPx'], 'input.cellPx', 1, 256),
      haloPx: wholeOf(input['haloPx'], 'input.haloPx', 0, 1024),
      patchCells: wholeOf(input['patchCells'], 'input.patchCells', 1, 256),
      patchStrideCells: wholeOf(input['patchStrideCells'], 'input.patchStrideCells', 1, 256),
      patchesRead: wholeOf(input['patchesRead'], 'input.patchesRead', 1, 4096),
    },
    votes: votesOf(root['votes'] ?? null),
    dropout: {
      rate: numberOf(dropout['rate'], 'dropout.rate', 0, 0.9),
      passes: wholeOf(dropout['passes'], 'dropout.passes', 2, 1000),
    },
    calibration: {
      real: calibrationOf(calibration['real'], 'calibration.real'),
      fake: calibrationOf(calibration['fake'], 'calibration.fake'),
      compression: calibrationOf(calibration['compression'], 'calibration.compression'),
      decision: calibrationOf(calibration['decision'], 'calibration.decision'),
    },
    // The order of the strategies is what makes their decided pictures subsets of each other: a model that breaks it is refused.
    thresholds: {
      fakeMin: thresholdsOf(thresholds['fakeMin'], 'thresholds.fakeMin', 'falling', [0.5, 1]),
      realMax: thresholdsOf(thresholds['realMax'], 'thresholds.realMax', 'rising', [0, 0.5]),
      traceMin: thresholdsOf(thresholds['traceMin'], 'thresholds.traceMin', 'falling', [0, 2]),
      compressionMax: thresholdsOf(
        thresholds['compressionMax'],
        'thresholds.compressionMax',
        'rising',
        [0, 1],
      ),
      anomalyMax: thresholdsOf(thresholds['anomalyMax'], 'thresholds.anomalyMax', 'rising', [0, 1]),
    },
    compressedRegime: compressedRegimeOf(root['compressedRegime'] ?? null),
    measured: measuredOf(root['measured'] ?? []),
  };
}

/** @throws {ForensicsError} `model_integrity` when a vector has the wrong length or a quantile list is not rising. */
export function parseStatistics(text: string): EmbeddingStatistics {
  const root = fieldsOf(parseJson(text, 'statistics.json'), 'statistics.json');
  const embedding = fieldsOf(root['embedding'], 'embedding');
  const prototypes = fieldsOf(root['prototypes'], 'prototypes');
  const dimension = wholeOf(embedding['dimension'], 'embedding.dimension', 1, 4096);
  return {
    embedding: {
      dimension,
      mean: vectorOf(embedding['mean'], 'embedding.mean', dimension),
      whitening: vectorOf(embedding['whitening'], 'embedding.whitening', dimension * dimension),
    },
    distanceQuantiles: quantilesOf(root['distanceQuantiles'], 'distanceQuantiles'),
    pictureDistanceQuantiles: quantilesOf(
      root['pictureDistanceQuantiles'],
      'pictureDistanceQuantiles',
    ),
    prototypes: {
      realCompressed: vectorOf(
        prototypes['realCompressed'],
        'prototypes.realCompressed',
        dimension,
      ),
      fakeCompressed: vectorOf(
        prototypes['fakeCompressed'],
        'prototypes.fakeCompressed',
        dimension,
      ),
    },
  };
}

function damaged(detail: string): ForensicsError {
  return new ForensicsError(
    'model_integrity',
    `The model's description is damaged (${detail}); reinstall the model.`,
  );
}

function measuredOf(value: unknown): readonly MeasuredCondition[] {
  if (!Array.isArray(value)) throw damaged('measured is not a list');
  return value.map((entry: unknown, at) => {
    const name = `measured[${at}]`;
    const fields = fieldsOf(entry, name);
    const strategies = fieldsOf(fields['strategies'], `${name}.strategies`);
    const rates = (strategy: string): MeasuredRates =>
      ratesOf(strategies[strategy], `${name}.strategies.${strategy}`);
    return {
      condition: textOf(fields['condition'], `${name}.condition`),
      real: wholeOf(fields['real'], `${name}.real`, 0, 1e9),
      fake: wholeOf(fields['fake'], `${name}.fake`, 0, 1e9),
      ...sidesOf(fields['longerSidePx'], `${name}.longerSidePx`),
      auc: numberOf(fields['auc'], `${name}.auc`, 0, 1),
      aucLow: numberOf(fields['aucLow'], `${name}.aucLow`, 0, 1),
      aucHigh: numberOf(fields['aucHigh'], `${name}.aucHigh`, 0, 1),
      strategies: {
        pedantic: rates('pedantic'),
        default: rates('default'),
        relaxed: rates('relaxed'),
      },
    };
  });
}

function sidesOf(value: unknown, name: string): Pick<MeasuredCondition, 'longerSidePx'> {
  if (value === undefined) return {};
  const [least, greatest]: unknown[] = Array.isArray(value) ? value : [];
  const from = wholeOf(least, `${name}[0]`, 1, 1e6);
  return { longerSidePx: [from, wholeOf(greatest, `${name}[1]`, from, 1e6)] };
}

function ratesOf(value: unknown, name: string): MeasuredRates {
  const fields = fieldsOf(value, name);
  const share = (key: keyof MeasuredRates): number => numberOf(fields[key], `${name}.${key}`, 0, 1);
  const later = ['realCalledReal', 'fakeCalledFake'] as const;
  return {
    decided: share('decided'),
    realCalledFake: share('realCalledFake'),
    fakeCalledReal: share('fakeCalledReal'),
    ...Object.fromEntries(later.filter((key) => key in fields).map((key) => [key, share(key)])),
  };
}

function votesOf(value: unknown): ModelManifest['votes'] {
  if (value === null) return null;
  return { haloPx: wholeOf(fieldsOf(value, 'votes')['haloPx'], 'votes.haloPx', 0, 1024) };
}

function compressedRegimeOf(value: unknown): ModelManifest['compressedRegime'] {
  if (value === null) return null;
  const fields = fieldsOf(value, 'compressedRegime');
  return {
    from: numberOf(fields['from'], 'compressedRegime.from', 0, 1),
    fakeMin: thresholdsOf(fields['fakeMin'], 'compressedRegime.fakeMin', 'falling', [0.5, 1]),
  };
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ForensicsError(
      'model_integrity',
      `${name} of the model is not JSON; reinstall the model.`,
      { cause: error },
    );
  }
}

function fieldsOf(value: unknown, name: string): Fields {
  if (isFields(value)) return value;
  throw damaged(`${name} is not an object`);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' && value.length > 0) return value;
  throw damaged(`${name} is not a text`);
}

function dateOf(value: unknown, name: string): string {
  const text = textOf(value, name);
  if (Number.isNaN(Date.parse(text))) throw damaged(`${name} is not a date`);
  return text;
}

function identifierOf(value: unknown, name: string): string {
  if (typeof value === 'string' && /^[a-z0-9][a-z0-9._-]{0,63}$/.test(value)) return value;
  throw damaged(`${name} is not an identifier`);
}

function numberOf(value: unknown, name: string, min: number, max: number): number {
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw damaged(`${name} is not a number from ${min} to ${max}`);
}

function wholeOf(value: unknown, name: string, min: number, max: number): number {
  const number = numberOf(value, name, min, max);
  if (Number.isInteger(number)) return number;
  throw damaged(`${name} is not a whole number`);
}

/** Thresholds and calibration decide no less than weights do, so the manifest is a file of its model like the others. */
function digestOf(text: string): ModelManifest['files'][string] {
  const bytes = Buffer.from(text);
  return { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length };
}

function filesOf(value: unknown): ModelManifest['files'] {
  const entries = Object.entries(fieldsOf(value, 'files')).map(([name, entry]) => {
    if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name)) throw damaged('files names a path');
    const fields = fieldsOf(entry, `files.${name}`);
    const sha256 = fields['sha256'];
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) {
      throw damaged(`files.${name}.sha256 is not a SHA-256`);
    }
    return [
      name,
      { sha256, bytes: wholeOf(fields['bytes'], `files.${name}.bytes`, 1, 2 ** 31) },
    ] as const;
  });
  return Object.fromEntries(entries);
}

/** A falling scale would turn real into fake, so scales are positive. */
function calibrationOf(value: unknown, name: string): Calibration {
  const fields = fieldsOf(value, name);
  return {
    scale: numberOf(fields['scale'], `${name}.scale`, 1e-6, 1e3),
    offset: numberOf(fields['offset'], `${name}.offset`, -1e3, 1e3),
  };
}

function thresholdsOf(
  value: unknown,
  name: string,
  order: 'falling' | 'rising',
  [min, max]: readonly [number, number],
): StrategyThresholds {
  const fields = fieldsOf(value, name);
  const read = (strategy: string) => numberOf(fields[strategy], `${name}.${strategy}`, min, max);
  const [pedantic, balanced, relaxed] = [read('pedantic'), read('default'), read('relaxed')];
  const sign = order === 'rising' ? 1 : -1;
  if (sign * (balanced - pedantic) < 0 || sign * (relaxed - balanced) < 0) {
    throw damaged(`${name} is not ${order} from pedantic to relaxed`);
  }
  return { pedantic, default: balanced, relaxed };
}

function vectorOf(value: unknown, name: string, length: number): readonly number[] {
  if (!Array.isArray(value) || value.length !== length) {
    throw damaged(`${name} has not ${length} numbers`);
  }
  return value.map((entry: unknown) => numberOf(entry, name, -1e12, 1e12));
}

function quantilesOf(value: unknown, name: string): readonly number[] {
  const quantiles = vectorOf(value, name, quantileCount);
  if (quantiles.some((entry, index) => index > 0 && entry < quantiles[index - 1]!)) {
    throw damaged(`${name} is not rising`);
  }
  return quantiles;
}
