/** Reads `manifest.json` and `statistics.json` of an image model's folder. */

import {
  checkNamed,
  damaged,
  type Fields,
  fieldsOf,
  identityFields,
  listOf,
  numberOf,
  rootOf,
  textOf,
  thresholdsOf,
  wholeOf,
} from './manifest-fields.ts';
import type {
  Calibration,
  EmbeddingStatistics,
  MeasuredCondition,
  MeasuredRates,
  ModelManifest,
} from './model.ts';

const quantileCount = 101;

/** @throws {ForensicsError} `model_integrity` naming the first field that is missing or impossible. */
export function parseManifest(text: string): ModelManifest {
  const root = rootOf(text, 'manifest.json');
  const input = fieldsOf(root['input'], 'input');
  const dropout = fieldsOf(root['dropout'], 'dropout');
  const calibration = fieldsOf(root['calibration'], 'calibration');
  const thresholds = fieldsOf(root['thresholds'], 'thresholds');
  if (root['type'] !== 'image') throw damaged('type is neither image nor localisation');
  checkNames(input, fieldsOf(root['outputs'] ?? {}, 'outputs'));

  return {
    ...identityFields(root, text),
    type: 'image',
    input: {
      cellPx: wholeOf(input['cellPx'], 'input.cellPx', 1, 256),
      haloPx: wholeOf(input['haloPx'], 'input.haloPx', 0, 1024),
      patchCells: wholeOf(input['patchCells'], 'input.patchCells', 1, 256),
      patchStrideCells: wholeOf(input['patchStrideCells'], 'input.patchStrideCells', 1, 256),
      patchesRead: wholeOf(input['patchesRead'], 'input.patchesRead', 1, 4096),
    },
    votes: ensembleInput(root['votes'] ?? null),
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

/** What `trace-model.ts` calls its tensors. */
function checkNames(input: Fields, outputs: Fields): void {
  checkNamed(input['name'], 'input.name', 'rgb');
  checkNamed(input['layout'], 'input.layout', 'NHWC');
  checkNamed(input['dtype'], 'input.dtype', 'uint8');
  checkNamed(outputs['model'], 'outputs.model', ['features']);
  checkNamed(outputs['votes'], 'outputs.votes', ['votes']);
  checkNamed(outputs['head'], 'outputs.head', ['logits', 'embedding']);
  checkNamed(outputs['logits'], 'outputs.logits', ['real', 'fake', 'compression']);
}

/** @throws {ForensicsError} `model_integrity` when a vector has the wrong length or a quantile list is not rising. */
export function parseStatistics(text: string): EmbeddingStatistics {
  const root = rootOf(text, 'statistics.json');
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

function measuredOf(value: unknown): readonly MeasuredCondition[] {
  return listOf(value, 'measured', (entry, name) => {
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

function ensembleInput(value: unknown): ModelManifest['votes'] {
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

/** A falling scale would turn real into fake, so scales are positive. */
function calibrationOf(value: unknown, name: string): Calibration {
  const fields = fieldsOf(value, name);
  return {
    scale: numberOf(fields['scale'], `${name}.scale`, 1e-6, 1e3),
    offset: numberOf(fields['offset'], `${name}.offset`, -1e3, 1e3),
  };
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
