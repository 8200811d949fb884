/**
 * The label that Chinese law asks of generated media: a JSON object with `Label` and who produced it. 1 declares generated
 * content; 2 (possible) and 3 (suspected) are somebody's guess and no declaration.
 *
 * @see GB 45438-2025, 6.2 and Annex E: property `AIGC` of the TC260 namespace in XMP; generators also write it as PNG text
 * and as the user comment of EXIF.
 */

import { type Members, membersOf, parseObject } from '../foreign.ts';
import type { ForeignTexts } from '../foreign-texts.ts';
import type { Recognised } from './recognise.ts';

export function recogniseAigcLabel(texts: ForeignTexts): readonly Recognised[] {
  return texts
    .of('AIGC', 'UserComment')
    .filter(({ text, field }) => {
      const members = parseObject(text) ?? {};
      return isLabel(field === 'AIGC' ? members : membersOf(members['AIGC']));
    })
    .map((text) => ({ text, origin: 'ai-generated', generator: null }));
}

function isLabel({ Label: label, ContentProducer: producer, ProduceID: id }: Members): boolean {
  const isGenerated = label === '1' || label === 1;
  return isGenerated && (typeof producer === 'string' || typeof id === 'string');
}
