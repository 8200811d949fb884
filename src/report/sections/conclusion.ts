/** Why nothing was decided and what would help; what the method cannot do; and what follows. */

import { isDeclared } from '../account.ts';
import { type Block, heading, paragraph, type SectionInput } from '../blocks.ts';

export function reasonBlocks(input: SectionInput): readonly Block[] {
  const { account, evidence, language, prose } = input;
  const { reasons: words } = prose;
  const isOpen = account.reasons.length > 0;
  const help = evidence.reasons.map((reason) => reason.help[language]);
  return [
    ...(isOpen ? account.reasons : [decidedWords(input)]).map(paragraph),
    heading(words.helpTitle),
    { kind: 'list', items: isOpen ? help : words.helpDecided },
  ];
}

/** Where the decision does not rest on the traces, what they would have left open is no secret. */
function decidedWords({ examination, phrases, prose }: SectionInput): string {
  const { reasons: words } = prose;
  const { decision } = examination;
  if (!isDeclared(decision) && !isChanged(decision)) return words.decided;
  const by = isChanged(decision) ? words.changed : words.declared;
  const open = decision.byTraces?.reasons ?? [];
  if (open.length === 0) return by;
  const shorts = open.map((reason) => phrases.reasons[reason].short).join('; ');
  return `${by} ${words.tracesAlone(shorts)}`;
}

function isChanged({ basis }: SectionInput['examination']['decision']): boolean {
  return basis === 'localisation';
}

export function limitBlocks({
  evidence,
  examination,
  language,
  prose,
}: SectionInput): readonly Block[] {
  const { limits: words } = prose;
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
  ];
}

export function conclusionBlocks({ texts }: SectionInput): readonly Block[] {
  return texts.conclusion.split('\n\n').map(paragraph);
}
