/** Why nothing was decided and what would help; what the method cannot do; and what follows. */

import { type Block, heading, paragraph, type SectionInput } from '../blocks.ts';

export function reasonBlocks({
  account,
  evidence,
  language,
  prose,
}: SectionInput): readonly Block[] {
  const { reasons: words } = prose;
  const isOpen = account.reasons.length > 0;
  const help = evidence.reasons.map((reason) => reason.help[language]);
  return [
    ...(isOpen ? account.reasons : [words.decided]).map(paragraph),
    heading(words.helpTitle),
    { kind: 'list', items: isOpen ? help : words.helpDecided },
  ];
}

export function limitBlocks({ evidence, language, prose }: SectionInput): readonly Block[] {
  const { limits: words } = prose;
  const notChecked = evidence.notChecked.map(({ statement }) => statement[language]);
  return [
    { kind: 'list', items: words.statements },
    heading(words.notCheckedTitle),
    notChecked.length === 0 ? paragraph(words.notCheckedNone) : { kind: 'list', items: notChecked },
    heading(words.examinerTitle),
    paragraph(words.examiner),
  ];
}

export function conclusionBlocks({ texts }: SectionInput): readonly Block[] {
  return texts.conclusion.split('\n\n').map(paragraph);
}
