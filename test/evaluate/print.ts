/** The figures of a run as tables for a terminal. */

import Table from 'cli-table3';
import { decisionStrategies } from '../../src/engine/result.ts';
import { auc, aucInterval, calibrationError, groupBy } from '../../src/validation/statistics.ts';
import { recallAt, spearman } from './figures.ts';
import { decidedOf, ratesOf, shareOf, worstSourceOf } from './measured.ts';
import { type Row, toScored } from './read-samples.ts';

export function printFigures(rows: readonly Row[]): string {
  const byCondition = [...groupBy(rows, ({ condition }) => condition)];
  const whole = byCondition.map(([condition, some]) => overall(condition, some));
  const strategies = byCondition.flatMap(([condition, some]) => decided(condition, some));
  const asIs = rows.filter(({ condition }) => condition === 'as is');
  return [
    table(
      ['condition', 'real', 'generated', 'AUC', '95 %', 'recall at 5 %', 'at 1 %', 'ECE'],
      whole,
    ),
    'Errors are shares of the pictures of a class that are decided; worst source: of ten photographs or more.',
    table(
      [
        'condition',
        'strategy',
        'decided',
        'real called fake',
        'worst source',
        'generated called real',
        'abstained',
        'ECE of decided',
      ],
      strategies,
    ),
    table(['generator', 'n', ...byCondition.map(([name]) => `AUC ${name}`)], generators(rows)),
    table(['real source', 'n', 'mean p(fake)', 'called fake', 'not decided'], realSources(asIs)),
    'As they are:',
    table(
      [
        'kind, camera, size, quality',
        'real',
        'generated',
        'AUC',
        'decided',
        'real called fake',
        'generated called real',
      ],
      groups(asIs),
    ),
    ...resaves(asIs),
  ].join('\n');
}

function overall(condition: string, rows: readonly Row[]): string[] {
  const scored = rows.map(toScored);
  const [low, high] = aucInterval(scored);
  return [
    condition,
    String(scored.filter(({ isFake }) => !isFake).length),
    String(scored.filter(({ isFake }) => isFake).length),
    auc(scored).toFixed(3),
    `${low.toFixed(3)}-${high.toFixed(3)}`,
    percent(recallAt(scored, 0.05)),
    percent(recallAt(scored, 0.01)),
    calibrationError(scored).toFixed(3),
  ];
}

function decided(condition: string, rows: readonly Row[]): string[][] {
  return decisionStrategies.map((strategy) => {
    const some = decidedOf(rows, strategy);
    const worst = worstSourceOf(rows, strategy);
    return [
      condition,
      strategy,
      percent(ratesOf(rows, strategy).decided),
      percent(shareOf(realOf(some), strategy, 'fake')),
      worst === null || worst.calledFake === 0
        ? 'none'
        : `${worst.source} ${percent(worst.calledFake)} of ${worst.decided}`,
      percent(shareOf(fakeOf(some), strategy, 'real')),
      percent(shareOf(rows, strategy, 'abstain')),
      calibrationError(some.map(toScored), rows.map(toScored)).toFixed(3),
    ];
  });
}

const realOf = (rows: readonly Row[]) => rows.filter(({ sample }) => !sample.isFake);
const fakeOf = (rows: readonly Row[]) => rows.filter(({ sample }) => sample.isFake);

/** Fewer photographs of a camera say nothing of it. */
const leastOfCamera = 5;

/** Kinds of photographs and cameras against all generated pictures; sizes and qualities within themselves. */
function groups(rows: readonly Row[]): string[][] {
  const kinds = [...groupBy(realOf(rows), ({ sample }) => sample.generator)];
  const cameras = [...groupBy(realOf(rows), ({ sample }) => sample.camera)].filter(
    ([camera, some]) => camera !== '' && some.length >= leastOfCamera,
  );
  return [
    ...[...kinds, ...cameras].map(([name, some]) => groupRow(name, some, fakeOf(rows))),
    ...[...groupBy(rows, sizeOf)].map(([size, some]) => groupRow(size, some)),
    ...[...groupBy(rows, qualityOf)].map(([quality, some]) => groupRow(quality, some)),
  ];
}

/** With its interval, when both classes are there. */
function aucOf(rows: readonly Row[]): string {
  if (realOf(rows).length === 0 || fakeOf(rows).length === 0) return '';
  const scored = rows.map(toScored);
  const [low, high] = aucInterval(scored);
  return `${auc(scored).toFixed(2)} (${low.toFixed(2)}-${high.toFixed(2)})`;
}

/** @param others - what the group's own pictures are told apart from beside each other. */
function groupRow(name: string, own: readonly Row[], others: readonly Row[] = []): string[] {
  const [real, fake] = [realOf(own), fakeOf(own)];
  return [
    name,
    String(real.length),
    String(fake.length),
    aucOf([...own, ...others]),
    percent(ratesOf(own, 'default').decided),
    real.length === 0 ? '' : percent(shareOf(real, 'default', 'fake')),
    fake.length === 0 ? '' : percent(shareOf(fake, 'default', 'real')),
  ];
}

function sizeOf({ examination: { facts } }: Row): string {
  const side = Math.min(facts.width, facts.height);
  if (side < 256) return 'shorter side below 256 px';
  return side < 384 ? 'shorter side 256 to 383 px' : 'shorter side 384 px or more';
}

function qualityOf({ examination: { facts } }: Row): string {
  const quality = facts.jpeg?.quality?.value;
  if (quality === undefined) return 'lossless, or no quality told';
  if (quality < 75) return 'JPEG below 75';
  return quality < 90 ? 'JPEG 75 to 89' : 'JPEG 90 or more';
}

function resaves(rows: readonly Row[]): string[] {
  const turned = decisionStrategies.map((strategy) => {
    const count = rows.filter(({ flips }) => flips?.[strategy]).length;
    return `${strategy} ${count} (${percent(count / rows.length)})`;
  });
  const byPicture = rows.flatMap(({ compressionByQuality }) => compressionByQuality ?? []);
  const correlations = byPicture.map((scores) =>
    spearman(
      [...scores.keys()].map((quality) => -quality),
      [...scores.values()],
    ),
  );
  const mean = correlations.reduce((sum, value) => sum + value, 0) / correlations.length;
  return [
    `Decided the other way after JPEG 90 or 70, 0.75 or 0.5 of the size, or a crop, of ${rows.length} pictures: ${turned.join(', ')}`,
    `Compression score against JPEG quality 20 to 90 of one picture, rank correlation over ${correlations.length} pictures: mean ${mean.toFixed(3)}, least ${Math.min(...correlations).toFixed(3)}`,
  ];
}

/** Each generator against all real pictures of the same condition. */
function generators(rows: readonly Row[]): string[][] {
  const fakes = rows.filter(({ sample }) => sample.isFake);
  const names = [...new Set(fakes.map(({ sample }) => sample.generator))].toSorted();
  const byCondition = [...groupBy(rows, ({ condition }) => condition).values()];
  return names.map((name) => {
    const figures = byCondition.map((some) =>
      aucOf(some.filter(({ sample }) => !sample.isFake || sample.generator === name)),
    );
    const count = new Set(
      fakes.filter(({ sample }) => sample.generator === name).map(({ sample }) => sample.file),
    ).size;
    return [name, String(count), ...figures];
  });
}

function realSources(rows: readonly Row[]): string[][] {
  const real = rows.filter(({ sample }) => !sample.isFake);
  const bySource = [...groupBy(real, ({ sample }) => sample.source)];
  return bySource.map(([source, some]) => {
    const mean =
      some.reduce((sum, row) => sum + row.examination.decision.fakeProbability, 0) / some.length;
    return [
      source,
      String(some.length),
      mean.toFixed(2),
      percent(shareOf(some, 'default', 'fake')),
      percent(shareOf(some, 'default', 'abstain', 'uncertain')),
    ];
  });
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function table(head: string[], rows: readonly string[][]): string {
  const drawn = new Table({ head, style: { head: [], border: [], compact: true } });
  drawn.push(...rows);
  return drawn.toString();
}
