/** What the strength on the first page is based on, and the limits of the result. */

import { type Strength, strengths } from '../../contract/vocabulary.ts';
import { strengthFrom } from '../../detectors/detector.ts';
import { isDeclared, leadsToAbstain } from '../forensic-text.ts';
import { type Block, note, paragraph, type SectionInput } from './blocks.ts';

/** Empty if no strength can be stated. */
export function evaluationBlocks(input: SectionInput): readonly Block[] {
  const { account, catalogue, result } = input;
  if (result.outcome === 'abstain') return [];
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

export function limitBlocks({ examination, catalogue, result }: SectionInput): readonly Block[] {
  const { limits: words } = catalogue.limits;
  const { decision } = examination;
  const changedOrTraced = decision.basis === 'localisation' ? 'changed' : 'traced';
  const nature = isDeclared(decision) ? 'declared' : changedOrTraced;
  const items = [
    ...(result.outcome === 'abstain' ? [] : [words.nature[nature]]),
    ...words.statements,
    ...(leadsToAbstain(decision) ? [] : words.figures),
  ];
  return [{ kind: 'list', items }];
}
