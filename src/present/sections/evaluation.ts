/** What bears the strength that the first page states, the scale of its words, and how far the result goes. */

import { type Strength, strengths } from '../../contract/vocabulary.ts';
import { strengthFrom } from '../../detectors/detector.ts';
import { isDeclared } from '../forensic-text.ts';
import { type Block, heading, note, only, paragraph, type SectionInput } from './blocks.ts';

export function evaluationBlocks(input: SectionInput): readonly Block[] {
  const { account, catalogue } = input;
  const { evaluation: words } = catalogue.strength;
  const compared = [...account.applied, ...account.support, ...account.reasons];
  return [
    ...only(compared.length > 0, heading(words.comparisonTitle), ...compared.map(paragraph)),
    ...helpBlocks(input),
    heading(words.scaleTitle),
    note(words.scaleNote),
    scaleGrid(input),
    heading(words.integrityTitle),
    ...integrityBlocks(input),
  ];
}

function scaleGrid({ numbers, catalogue }: SectionInput): Block {
  const { evaluation: words } = catalogue.strength;
  const { below, between, from } = words.scaleRanges;
  const writeRange = (step: number) => {
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
      const adverb = strengthAdverb(strength, catalogue);
      return {
        cells: [
          adverb ?? '–',
          writeRange(step),
          adverb === null ? words.scaleNone : words.scaleMeaning(adverb),
        ],
      };
    }),
  };
}

export function strengthAdverb(
  strength: Strength,
  catalogue: SectionInput['catalogue'],
): string | null {
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

function helpBlocks({ evidence, language, catalogue }: SectionInput): readonly Block[] {
  const { reasons: words } = catalogue.document;
  const help = evidence.reasons.map((reason) => reason.help[language]);
  return [
    heading(words.helpTitle),
    { kind: 'list', items: help.length > 0 ? help : words.helpDecided },
  ];
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
