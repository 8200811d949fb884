/** Runs every case through the real engine, once for each condition, and judges every map. */

import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import type {
  DecisionStrategy,
  ReasonCode,
  ResultClass,
} from '../../../src/contract/vocabulary.ts';
import type { Models } from '../../../src/engine/schedule.ts';
import type { CellMaps, Decision } from '../../../src/detectors/result.ts';
import { type Condition, picturesOf } from '../conditions.ts';
import { examineUnderAll } from '../examine-under-all.ts';
import type { Case } from './cases.ts';
import { judge, type Judged, type Mask } from './judge.ts';

/** By strategy. */
export type Called = Readonly<
  Record<
    DecisionStrategy,
    {
      readonly isManipulated: boolean;
      readonly isSuspected: boolean;
      /** The class by traces of the whole picture, whatever is suspected of a part. */
      readonly byTraces: ResultClass;
    }
  >
>;

export interface Row {
  readonly case: Case;
  readonly condition: Condition;
  readonly longerSidePx: number;
  readonly megapixels: number;
  /** Of the JPEG file; 100 for any other. */
  readonly quality: number;
  readonly called: Called;
  /** Probability that the picture is generated. */
  readonly fakeProbability: number;
  /** 0..1 by method, and `fusion`; skipped methods are missing. */
  readonly scores: Readonly<Record<string, number>>;
  /** By method, and the maps `fake` and `anomaly` of the examination. Empty for an untouched picture. */
  readonly judged: Readonly<Record<string, Judged>>;
  readonly maps: CellMaps;
  readonly mask: Mask | null;
}

export async function* readCase(
  one: Case,
  models: Models,
  conditions: readonly Condition[],
): AsyncGenerator<Row> {
  for await (const [condition, picture] of picturesOf(one.path, conditions)) {
    const { examination, maps, decisions } = await examineUnderAll(picture, models);
    const { manipulation, findings } = examination;
    if (manipulation === null) throw new TypeError('local changes were not looked for');
    const mask = one.mask === null ? null : await readMask(one.mask, picture.facts);
    yield {
      case: one,
      condition,
      longerSidePx: Math.max(picture.facts.width, picture.facts.height),
      megapixels: (picture.facts.width * picture.facts.height) / 1e6,
      quality: picture.facts.jpeg?.quality?.value ?? 100,
      fakeProbability: examination.decision.fakeProbability,
      called: {
        pedantic: calledOf(decisions.pedantic),
        default: calledOf(decisions.default),
        relaxed: calledOf(decisions.relaxed),
      },
      scores: {
        fusion: manipulation.probability,
        ...Object.fromEntries(findings.map(({ method, score }) => [method, score])),
      },
      judged: mask === null ? {} : judgeAll(mask, maps),
      maps,
      mask,
    };
  }
}

function calledOf(decision: Decision) {
  const { resultSubClasses, reasons } = decision;
  const isManipulated = resultSubClasses.includes('manipulated');
  const isSuspected = reasons.includes('manipulation_suspected');
  return { isManipulated, isSuspected, byTraces: classByTraces(decision) };
}

const signsOfChange: readonly ReasonCode[] = ['manipulation_suspected', 'single_weak_method'];

/** A picture whose only doubt is a suspected change would otherwise be called real. */
export function classByTraces({
  resultClass,
  reasons,
  byTraces,
}: Pick<Decision, 'resultClass' | 'reasons' | 'byTraces'>): ResultClass {
  if (byTraces) return byTraces.resultClass;
  const isDoubtedForChange =
    resultClass === 'uncertain' && reasons.every((reason) => signsOfChange.includes(reason));
  return isDoubtedForChange ? 'real' : resultClass;
}

/** Resized to the picture, which may be a smaller copy of the masked one. */
async function readMask(
  path: string,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<Mask> {
  const grey = sharp(await readFile(path))
    .toColourspace('b-w')
    .extractChannel(0);
  const sized = grey.resize({ width, height, fit: 'fill', kernel: 'linear' });
  const values = await sized.raw({ depth: 'uchar' }).toBuffer();
  return { width, height, values };
}

function judgeAll(mask: Mask, maps: CellMaps): Readonly<Record<string, Judged>> {
  const { fake, anomaly } = maps.values;
  const judged = Object.entries({ ...maps.methods, fake, anomaly }).map(
    ([name, values]) => [name, judge(mask, maps, values)] as const,
  );
  return Object.fromEntries(judged.filter((entry) => isJudged(entry)));
}

function isJudged(entry: readonly [string, Judged | null]): entry is readonly [string, Judged] {
  return entry[1] !== null;
}
