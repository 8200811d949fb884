/** Figures of groups of pictures, under each condition. */

import type { PictureFacts } from '../../src/image/picture.ts';
import type { Split } from './data-set.ts';
import { aucOf, calledFakeRate, calledRealRate, decidedRate, fakeOf, realOf } from './rates.ts';
import type { Outcome } from './read-samples.ts';
import { type Block, numberWithin, percentWithin, table } from './table.ts';

type Facts = Pick<PictureFacts, 'width' | 'height' | 'jpeg'>;

interface Described extends Outcome {
  readonly examination: Outcome['examination'] & { readonly facts: Facts };
}

export function printGroups(rows: readonly Described[]): readonly Block[] {
  const files = new Map(
    rows
      .filter(({ condition }) => condition === 'as is')
      .map(({ sample, examination }) => [sample.file, examination.facts] as const),
  );
  const factsOf = ({ sample }: Outcome) => files.get(sample.file)!;
  const byCondition = [...Map.groupBy(rows, ({ condition }) => condition)];
  return [
    'Under `default`. Groups of generated pictures and of photographs are compared with the whole of the other class; groups by size and quality, which are those of the original file, are compared within themselves.',
    table(
      [
        'condition',
        'generator, kind, camera, size, quality',
        'real',
        'generated',
        'AUC',
        'decided',
        'real called fake',
        'generated called real',
      ],
      byCondition.flatMap(([condition, some]) =>
        groupsOf(some, factsOf).map((cells) => [condition, ...cells]),
      ),
    ),
  ];
}

/** With fewer photographs a camera has no meaningful figures. */
const minOfCamera = 5;

function groupsOf(rows: readonly Outcome[], factsOf: (row: Outcome) => Facts): string[][] {
  const [real, fake] = [realOf(rows), fakeOf(rows)];
  const places = [...Map.groupBy(fake, ({ sample }) => sample.generatorIn)];
  const kinds = [...Map.groupBy(real, ({ sample }) => sample.generator)];
  const cameras = [...Map.groupBy(real, ({ sample }) => sample.camera)].filter(
    ([camera, some]) => camera !== '' && some.length >= minOfCamera,
  );
  const sizes = Map.groupBy(rows, (row) => sizeOf(factsOf(row)));
  const qualities = Map.groupBy(rows, (row) => qualityOf(factsOf(row)));
  return [
    ...places.map(([place, some]) => groupRow(placeNames[place], some, real)),
    ...[...kinds, ...cameras].map(([name, some]) => groupRow(name, some, fake)),
    ...[...sizes, ...qualities].map(([name, some]) => groupRow(name, some)),
  ];
}

const placeNames = {
  train: 'generator in train',
  calibration: 'generator in calibration, not in train',
  val: 'generator in no other part',
} as const satisfies Readonly<Record<Split, string>>;

/** @param others - pictures of the other class that the group is compared with. */
function groupRow(
  name: string,
  own: readonly Outcome[],
  others: readonly Outcome[] = [],
): string[] {
  return [
    name,
    String(realOf(own).length),
    String(fakeOf(own).length),
    numberWithin(aucOf([...own, ...others]), 2),
    percentWithin(decidedRate(own, 'default')),
    percentWithin(calledFakeRate(own, 'default')),
    percentWithin(calledRealRate(own, 'default')),
  ];
}

function sizeOf({ width, height }: Facts): string {
  const side = Math.min(width, height);
  if (side < 256) return 'shorter side below 256 px';
  return side < 384 ? 'shorter side 256 to 383 px' : 'shorter side 384 px or more';
}

function qualityOf({ jpeg }: Facts): string {
  const quality = jpeg?.quality?.value;
  if (quality === undefined) return 'lossless, or quality unknown';
  if (quality < 75) return 'JPEG below 75';
  return quality < 90 ? 'JPEG 75 to 89' : 'JPEG 90 or more';
}
