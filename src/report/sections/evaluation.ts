/** What the evidence amounts to: how strongly it supports which proposition, on a scale printed beside it. */

import { type Strength, strengths } from '../../contract/vocabulary.ts';
import { strengthFrom } from '../../detectors/detector.ts';
import type { RankedFinding } from '../evidence.ts';
import { capitalised, nameIn, printable } from '../printable.ts';
import { type Block, heading, note, only, paragraph, type SectionInput } from './blocks.ts';

export function evaluationBlocks(input: SectionInput): readonly Block[] {
  const { account, catalogue } = input;
  const { evaluation: words } = catalogue.strength;
  return [
    heading(words.comparisonTitle),
    ...account.comparison.map(paragraph),
    heading(words.scaleTitle),
    scaleGrid(input),
    note(words.scaleNote),
    heading(words.findingsTitle),
    ...findingBlocks(input),
    heading(words.integrityTitle),
    ...integrityBlocks(input),
  ];
}

function scaleGrid({ numbers, catalogue }: SectionInput): Block {
  const { evaluation: words } = catalogue.strength;
  const { below, between, from } = words.scaleRanges;
  const rangeOf = (step: number) => {
    const [low, high] = [strengthFrom[step], strengthFrom[step + 1]];
    if (low === undefined || high === undefined) return from(numbers.count(low ?? 0));
    return step === 0
      ? below(numbers.count(high))
      : between(numbers.count(low), numbers.count(high));
  };
  const [word, ratio, meaning] = words.scaleColumns;
  return {
    kind: 'grid',
    columns: [
      { title: word, share: 0.22 },
      { title: ratio, share: 0.22 },
      { title: meaning, share: 0.56 },
    ],
    rows: strengths.map((strength, step) => {
      const adverb = adverbOf(strength, catalogue);
      return {
        cells: [
          adverb ?? '–',
          rangeOf(step),
          adverb === null ? words.scaleNone : words.scaleMeaning(adverb),
        ],
      };
    }),
  };
}

function adverbOf(strength: Strength, catalogue: SectionInput['catalogue']): string | null {
  return strength === 'none' ? null : catalogue.strength.adverbs[strength];
}

/** Findings that support a side, the strongest first; then those that support neither, and methods without a finding. */
function findingBlocks(input: SectionInput): readonly Block[] {
  const { evidence, labels, language, catalogue } = input;
  const { neutralTitle, noneSpeaks } = catalogue.strength.evaluation;
  const nameOf = (method: string) =>
    capitalised(nameIn(catalogue.findings.methods, method, printable(method, 60)));
  const speaking = evidence.findings.flatMap((finding) => {
    const side = sideOf(input, finding);
    return side === null ? [] : [toEntry(input, finding, `${nameOf(finding.method)}: ${side}`)];
  });
  const neutral = evidence.findings
    .filter((finding) => sideOf(input, finding) === null)
    .map((finding) => ({
      label: nameOf(finding.method),
      value: `${printable(finding.statement[language], 1200)}\n${sourceOf(input, finding)}`,
    }));
  const silent = evidence.skipped.map(({ method, reason }) => ({
    label: nameOf(method),
    value: printable(reason[language], 600),
  }));
  return [
    ...speaking,
    ...only(speaking.length === 0, paragraph(noneSpeaks)),
    ...only(neutral.length > 0, heading(neutralTitle), { kind: 'table', rows: neutral }),
    ...only(silent.length > 0, heading(labels.withoutFinding), { kind: 'table', rows: silent }),
  ];
}

/** In words, or null for a finding that supports neither side. */
export function sideOf(
  { catalogue }: SectionInput,
  { speaksFor, strength }: RankedFinding,
): string | null {
  const adverb = adverbOf(strength, catalogue);
  if (adverb === null || speaksFor === 'neither') return null;
  return catalogue.strength.evaluation.sides[speaksFor](adverb);
}

function toEntry(input: SectionInput, finding: RankedFinding, title: string): Block {
  return {
    kind: 'entry',
    title,
    text: printable(finding.statement[input.language], 1200),
    note: sourceOf(input, finding),
  };
}

function sourceOf({ labels, catalogue }: SectionInput, { source }: RankedFinding): string {
  return labels.source(nameIn(catalogue.findings.sources, source, printable(source, 400)));
}

/** Whether the bytes are intact is kept apart from whether the picture is what it is said to be. */
function integrityBlocks({ evidence, catalogue, item, labels }: SectionInput): readonly Block[] {
  const { evaluation: words } = catalogue.strength;
  const { credentials } = evidence.provenance;
  const intact = [
    words.integrity,
    ...(item.isUploadReplaced === true ? [`${labels.rows.upload}: ${labels.uploadReplaced}.`] : []),
    ...(credentials === null ? [] : [words.credentials[credentials.integrity]]),
  ];
  return [paragraph(intact.join(' ')), paragraph(words.authenticity)];
}
