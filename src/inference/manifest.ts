/** Reads `manifest.json` of a model folder of either kind, and `statistics.json` of an image model's. */

import { ForensicsError } from '../errors.ts';
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
  AnyManifest,
  Calibration,
  EmbeddingStatistics,
  MeasuredCondition,
  MeasuredRates,
  ModelManifest,
  LocateManifest,
  MeasuredCalls,
  MeasuredLocalisation,
  Views,
} from './model.ts';

/** The network reads blocks of this side, so its cells have to fill them. */
export const blockPx = 8;

/** More than any weight that a fit gives: log odds of a method are at most 4. */
const maxWeight = 1000;

const quantileCount = 101;

/** A picture is read in one run of the network, whose working space this bounds: some 150 MB a megapixel. */
const maxReadPixels = 4_000_000;

/** @throws {ForensicsError} `model_integrity` naming the first field that is missing or impossible. */
export function parseAnyManifest(text: string): AnyManifest {
  const { type } = rootOf(text, 'manifest.json');
  return type === 'localisation' ? parseLocateManifest(text) : parseManifest(text);
}

/** @throws {ForensicsError} `model_integrity` naming the first field that is missing or impossible. */
export function parseManifest(text: string): ModelManifest {
  const root = rootOf(text, 'manifest.json');
  const input = fieldsOf(root['input'], 'input');
  const dropout = fieldsOf(root['dropout'], 'dropout');
  const calibration = fieldsOf(root['calibration'], 'calibration');
  const thresholds = fieldsOf(root['thresholds'], 'thresholds');
  if (root['type'] !== 'image') throw damaged('type is neither image nor localisation');
  if (root['votes'] !== undefined) {
    throw new ForensicsError(
      'model_integrity',
      'The model has a second network, votes.onnx, which this version does not run; forensics 0.1.0 does.',
    );
  }
  checkNames(input, fieldsOf(root['outputs'] ?? {}, 'outputs'));

  return {
    ...identityFields(root, text),
    type: 'image',
    input: {
      cellPx: wholeOf(input['cellPx'], 'input.cellPx', 1, 256),
      patchCells: wholeOf(input['patchCells'], 'input.patchCells', 1, 256),
      patchStrideCells: wholeOf(input['patchStrideCells'], 'input.patchStrideCells', 1, 256),
      patchesRead: wholeOf(input['patchesRead'], 'input.patchesRead', 1, 4096),
    },
    views: viewsOf(root['views']),
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
    smallRegime: smallRegimeOf(root['smallRegime'] ?? null),
    measured: measuredOf(root['measured'] ?? []),
  };
}

/** What `networks.ts` calls its tensors. */
function checkNames(input: Fields, outputs: Fields): void {
  checkNamed(input['name'], 'input.name', 'rgb');
  checkNamed(input['layout'], 'input.layout', 'NHWC');
  checkNamed(input['dtype'], 'input.dtype', 'uint8');
  checkNamed(outputs['model'], 'outputs.model', ['features']);
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
  const [min, max]: unknown[] = Array.isArray(value) ? value : [];
  const from = wholeOf(min, `${name}[0]`, 1, 1e6);
  return { longerSidePx: [from, wholeOf(max, `${name}[1]`, from, 1e6)] };
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

function viewsOf(value: unknown): Views {
  const fields = fieldsOf(value, 'views');
  const weights = fieldsOf(fields['weights'], 'views.weights');
  const shareOf = (name: string) => numberOf(weights[name], `views.weights.${name}`, 0, 1);
  const views = {
    mostPixels: wholeOf(fields['mostPixels'], 'views.mostPixels', 65_536, maxReadPixels),
    tilePx: wholeOf(fields['tilePx'], 'views.tilePx', 32, 4096),
    tiles: wholeOf(fields['tiles'], 'views.tiles', 0, 4096),
    wholePx: wholeOf(fields['wholePx'], 'views.wholePx', 32, 4096),
    weights: { patches: shareOf('patches'), tiles: shareOf('tiles'), whole: shareOf('whole') },
  };
  const { patches, tiles, whole } = views.weights;
  if (Math.abs(patches + tiles + whole - 1) > 1e-9)
    throw damaged('views.weights are not 1 together');
  return views;
}

function compressedRegimeOf(value: unknown): ModelManifest['compressedRegime'] {
  if (value === null) return null;
  const fields = fieldsOf(value, 'compressedRegime');
  return {
    from: numberOf(fields['from'], 'compressedRegime.from', 0, 1),
    fakeMin: thresholdsOf(fields['fakeMin'], 'compressedRegime.fakeMin', 'falling', [0.5, 1]),
  };
}

function smallRegimeOf(value: unknown): ModelManifest['smallRegime'] {
  if (value === null) return null;
  const fields = fieldsOf(value, 'smallRegime');
  return {
    below: wholeOf(fields['below'], 'smallRegime.below', 1, 1e9),
    fakeMin: thresholdsOf(fields['fakeMin'], 'smallRegime.fakeMin', 'falling', [0.5, 1]),
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

/** @throws {ForensicsError} `model_integrity` naming the first field that is missing or impossible. */
export function parseLocateManifest(text: string): LocateManifest {
  const root = rootOf(text, 'manifest.json');
  const input = fieldsOf(root['input'], 'input');
  // What `networks.ts` calls its tensors.
  checkNamed(root['outputs'], 'outputs', ['changed', 'trust', 'score']);
  return {
    ...identityFields(root, text),
    type: 'localisation',
    input: {
      cellPx: cellPxOf(input['cellPx']),
      maxPixels: wholeOf(input['maxPixels'], 'input.maxPixels', 65_536, 1e8),
    },
    thresholds: limitsOf(root['thresholds']),
    fusion: fusionOf(root['fusion']),
    measured: listOf(root['measured'] ?? [], 'measured', localisationOf),
    called: listOf(root['called'] ?? [], 'called', calledOf),
  };
}

function cellPxOf(value: unknown): number {
  const cellPx = wholeOf(value, 'input.cellPx', 1, blockPx);
  if (blockPx % cellPx === 0) return cellPx;
  throw damaged(`input.cellPx does not divide ${blockPx}`);
}

/** The order of the strategies, and of the two limits, is what makes their decided pictures subsets of each other. */
function limitsOf(value: unknown): LocateManifest['thresholds'] {
  const fields = fieldsOf(value, 'thresholds');
  const suspectedMin = thresholdsOf(
    fields['suspectedMin'],
    'thresholds.suspectedMin',
    'rising',
    [0, 1],
  );
  const manipulatedMin = thresholdsOf(
    fields['manipulatedMin'],
    'thresholds.manipulatedMin',
    'falling',
    [0.5, 1],
  );
  // One falls and one rises: where they are nearest, under the last strategy, the order has to hold.
  if (suspectedMin.relaxed > manipulatedMin.relaxed) {
    throw damaged('thresholds.suspectedMin is above manipulatedMin');
  }
  return { manipulatedMin, suspectedMin };
}

function fusionOf(value: unknown): LocateManifest['fusion'] {
  const fields = fieldsOf(value, 'fusion');
  const places = fieldsOf(fields['places'], 'fusion.places');
  const picture = fieldsOf(fields['picture'], 'fusion.picture');
  return {
    places: {
      offset: weightOf(places['offset'], 'fusion.places.offset'),
      level: levelOf(places['level']),
      weights: namedOf(places['weights'], 'fusion.places.weights', (entry, name) => {
        const { weight, rest } = fieldsOf(entry, name);
        return {
          weight: weightOf(weight, `${name}.weight`),
          rest: numberOf(rest, `${name}.rest`, 0, 1),
        };
      }),
    },
    picture: {
      offset: weightOf(picture['offset'], 'fusion.picture.offset'),
      // Absent before version 1.2.0, which judged every size and quality alike.
      perDoubling: weightOf(picture['perDoubling'] ?? 0, 'fusion.picture.perDoubling'),
      compression: weightOf(picture['compression'] ?? 0, 'fusion.picture.compression'),
      weights: namedOf(picture['weights'], 'fusion.picture.weights', weightOf),
    },
  };
}

/** Absent in manifests of version 1.0.0, whose level is the same for every picture. */
function levelOf(value: unknown): LocateManifest['fusion']['places']['level'] {
  if (value === undefined) return { middle: 0, strongest: 0, perDoubling: 0 };
  const level = fieldsOf(value, 'fusion.places.level');
  const share = (key: string) => numberOf(level[key], `fusion.places.level.${key}`, 0, 1);
  const perDoubling = weightOf(level['perDoubling'] ?? 0, 'fusion.places.level.perDoubling');
  return { middle: share('middle'), strongest: share('strongest'), perDoubling };
}

function weightOf(value: unknown, name: string): number {
  return numberOf(value, name, -maxWeight, maxWeight);
}

function namedOf<T>(
  value: unknown,
  name: string,
  read: (entry: unknown, name: string) => T,
): Readonly<Record<string, T>> {
  const entries = Object.entries(fieldsOf(value, name)).map(([key, entry]) => {
    if (!/^[a-z][a-zA-Z0-9.-]{0,63}$/.test(key)) throw damaged(`${name} names no method`);
    return [key, read(entry, `${name}.${key}`)] as const;
  });
  return Object.fromEntries(entries);
}

function localisationOf(value: unknown, name: string): MeasuredLocalisation {
  const fields = fieldsOf(value, name);
  const share = (key: string) => numberOf(fields[key], `${name}.${key}`, 0, 1);
  return {
    set: textOf(fields['set'], `${name}.set`),
    condition: textOf(fields['condition'], `${name}.condition`),
    pictures: wholeOf(fields['pictures'], `${name}.pictures`, 0, 1e9),
    f1Best: share('f1Best'),
    f1Low: share('f1Low'),
    f1High: share('f1High'),
    f1Half: share('f1Half'),
    pixelAuc: share('pixelAuc'),
  };
}

function calledOf(value: unknown, name: string): MeasuredCalls {
  const fields = fieldsOf(value, name);
  const changed = wholeOf(fields['changed'], `${name}.changed`, 1, 1e9);
  const photographs = wholeOf(fields['photographs'], `${name}.photographs`, 1, 1e9);
  const strategies = fieldsOf(fields['strategies'], `${name}.strategies`);
  const under = (strategy: string) => {
    const path = `${name}.strategies.${strategy}`;
    const counts = fieldsOf(strategies[strategy], path);
    return {
      changed: wholeOf(counts['changed'], `${path}.changed`, 0, changed),
      photographs: wholeOf(counts['photographs'], `${path}.photographs`, 0, photographs),
    };
  };
  return {
    condition: textOf(fields['condition'], `${name}.condition`),
    ...megapixelsOf(fields['megapixels'], `${name}.megapixels`),
    changed,
    photographs,
    strategies: {
      pedantic: under('pedantic'),
      default: under('default'),
      relaxed: under('relaxed'),
    },
  };
}

function megapixelsOf(value: unknown, name: string): Pick<MeasuredCalls, 'megapixels'> {
  if (value === undefined) return {};
  const fields = fieldsOf(value, name);
  const from = numberOf(fields['from'], `${name}.from`, 0, 1e6);
  const below =
    fields['below'] === null ? null : numberOf(fields['below'], `${name}.below`, from, 1e6);
  return { megapixels: { from, below } };
}
