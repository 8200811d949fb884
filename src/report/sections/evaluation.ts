/** What the evidence amounts to: how strongly it supports which proposition, on a scale printed beside it. */

import { type Strength, strengths } from '../../contract/vocabulary.ts';
import { strengthFrom } from '../../detectors/detector.ts';
import { isDeclared } from '../forensic-text.ts';
import { type Block, heading, note, paragraph, type SectionInput } from './blocks.ts';

export function evaluationBlocks(input: SectionInput): readonly Block[] {
  const { account, catalogue } = input;
  const { evaluation: words } = catalogue.strength;
  return [
    heading(words.comparisonTitle),
    ...account.comparison.map(paragraph),
    ...reasonBlocks(input),
    heading(words.scaleTitle),
    scaleGrid(input),
    note(words.scaleNote),
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

export function adverbOf(strength: Strength, catalogue: SectionInput['catalogue']): string | null {
  return strength === 'none' ? null : catalogue.strength.adverbs[strength];
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

/** Why nothing was decided, and what would help. */
function reasonBlocks(input: SectionInput): readonly Block[] {
  const { account, evidence, language, catalogue } = input;
  const { reasons: words } = catalogue.document;
  const isOpen = account.reasons.length > 0;
  const help = evidence.reasons.map((reason) => reason.help[language]);
  return [
    ...(isOpen ? account.reasons : [decidedWords(input)]).map(paragraph),
    heading(words.helpTitle),
    { kind: 'list', items: isOpen ? help : words.helpDecided },
  ];
}

/** Where the decision does not rest on the traces, the report also shows what they would have left open. */
function decidedWords({ examination, catalogue }: SectionInput): string {
  const { reasons: words } = catalogue.document;
  const { decision } = examination;
  if (!isDeclared(decision) && !isChanged(decision)) return words.decided;
  const by = isChanged(decision) ? words.changed : words.declared;
  const open = decision.byTraces?.reasons ?? [];
  if (open.length === 0) return by;
  const shorts = open.map((reason) => catalogue.verdict.reasons[reason].short).join('; ');
  return `${by} ${words.tracesAlone(shorts)}`;
}

function isChanged({ basis }: SectionInput['examination']['decision']): boolean {
  return basis === 'localisation';
}

export function limitBlocks({
  evidence,
  examination,
  language,
  catalogue,
  texts,
}: SectionInput): readonly Block[] {
  const { limits: words } = catalogue.limits;
  const { decision } = examination;
  const changedOrTraced = isChanged(decision) ? 'changed' : 'traced';
  const nature = isDeclared(decision) ? 'declared' : changedOrTraced;
  const notChecked = evidence.notChecked.map(({ statement }) => statement[language]);
  return [
    { kind: 'list', items: [words.nature[nature], ...words.statements] },
    heading(words.notCheckedTitle),
    notChecked.length === 0 ? paragraph(words.notCheckedNone) : { kind: 'list', items: notChecked },
    heading(words.examinerTitle),
    paragraph(words.examiner),
    heading(words.conclusionTitle),
    ...texts.conclusion.split('\n\n').map(paragraph),
  ];
}
