/** Reads `manifest.json` of a localisation model's folder. */

import {
  checkNamed,
  damaged,
  fieldsOf,
  identityFields,
  listOf,
  numberOf,
  rootOf,
  textOf,
  thresholdsOf,
  wholeOf,
} from './manifest-fields.ts';
import type { LocateManifest, MeasuredCalls, MeasuredLocalisation } from './model.ts';

/** The network reads blocks of this side, so its cells have to fill them. */
export const blockPx = 8;

/** More than any weight that a fit gives: log odds of a method are at most 4. */
const largestWeight = 1000;

/** @throws {ForensicsError} `model_integrity` naming the first field that is missing or impossible. */
export function parseLocateManifest(text: string): LocateManifest {
  const root = rootOf(text, 'manifest.json');
  const input = fieldsOf(root['input'], 'input');
  // What `locate-model.ts` calls its tensors.
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
    measured: listOf(root['measured'] ?? [], 'measured', measuredOf),
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
      weights: namedOf(picture['weights'], 'fusion.picture.weights', weightOf),
    },
  };
}

/** Absent in manifests of version 1.0.0, whose level is the same for every picture. */
function levelOf(value: unknown): LocateManifest['fusion']['places']['level'] {
  if (value === undefined) return { middle: 0, strongest: 0 };
  const level = fieldsOf(value, 'fusion.places.level');
  const share = (key: string) => numberOf(level[key], `fusion.places.level.${key}`, 0, 1);
  return { middle: share('middle'), strongest: share('strongest') };
}

function weightOf(value: unknown, name: string): number {
  return numberOf(value, name, -largestWeight, largestWeight);
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

function measuredOf(value: unknown, name: string): MeasuredLocalisation {
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
    changed,
    photographs,
    strategies: {
      pedantic: under('pedantic'),
      default: under('default'),
      relaxed: under('relaxed'),
    },
  };
}
