/** What bears the strength that the first page states, and how far the result goes. */

import { type Strength, strengths } from '../../contract/vocabulary.ts';
import { strengthFrom } from '../../detectors/detector.ts';
import { isDeclared } from '../forensic-text.ts';
import { type Block, note, paragraph, type SectionInput } from './blocks.ts';

export function evaluationBlocks(input: SectionInput): readonly Block[] {
  const { account, catalogue } = input;
  const { evaluation: words } = catalogue.strength;
  return [...account.support.map(paragraph), note([writeScale(input), words.scaleNote].join(' '))];
}

function writeScale({ numbers, catalogue }: SectionInput): string {
  const { evaluation: words, adverbs } = catalogue.strength;
  const steps = strengths
    .map((strength, step): readonly [Strength, number] => [strength, strengthFrom[step] ?? 0])
    .flatMap(([strength, from]) =>
      strength === 'none' ? [] : [words.scaleStep(adverbs[strength], numbers.count(from))],
    );
  return words.scale(steps.join(', '));
}

export function limitBlocks({ examination, catalogue }: SectionInput): readonly Block[] {
  const { limits: words } = catalogue.limits;
  const { decision } = examination;
  const changedOrTraced = decision.basis === 'localisation' ? 'changed' : 'traced';
  const nature = isDeclared(decision) ? 'declared' : changedOrTraced;
  return [{ kind: 'list', items: [words.nature[nature], ...words.statements] }];
}
