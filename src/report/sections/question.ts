/** Which question was put to the program, and between which explanations it chose. */

import { type Block, heading, paragraph, type SectionInput } from '../blocks.ts';

export function questionBlocks({ prose: { question } }: SectionInput): readonly Block[] {
  const { propositions, columns } = question;
  return [
    paragraph(question.put),
    {
      kind: 'grid',
      columns: [
        { title: columns[0], share: 0.16 },
        { title: columns[1], share: 0.84 },
      ],
      rows: [{ cells: ['real', propositions.real] }, { cells: ['fake', propositions.fake] }],
    },
    heading(question.alternativesTitle),
    { kind: 'list', items: question.alternatives },
    paragraph(question.notAsked),
  ];
}
