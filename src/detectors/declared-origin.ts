/**
 * What a file declares about its origin without a signature that fits: source types, and what generators leave behind.
 * Nobody gains by writing it into a generated picture, but anybody can write it into an honest one.
 */

import type { Declaration } from '../provenance/provenance.ts';
import { originWords, placeWords, quoted, type Wording } from './declared-words.ts';
import type { Detector, Finding, Skipped } from './finding.ts';
import { noWeight, strengthOfAssurance, weightOf } from './strength.ts';

export const declaredOrigin: Detector<Finding | Skipped> = {
  method: 'declared-origin',
  examine: ({ picture, provenance }) => {
    const declared = provenance.declarations.filter(({ assurance }) => assurance === 'unsigned');
    const generated = declared.filter(({ origin }) => origin !== 'captured');
    const [first] = [...generated, ...declared];
    if (first !== undefined) return toFinding(first, declared.length, generated.length);
    const type = picture.facts.metadata.digitalSourceType;
    return type === null ? { method: declaredOrigin.method, reason: absent } : otherType();
  },
};

const absent = {
  en: 'The file declares no origin; most files declare none, so that says nothing.',
  de: 'Die Datei macht keine Angabe über ihre Herkunft; das gilt für die meisten Dateien und sagt nichts aus.',
};

function toFinding(first: Declaration, declarations: number, generated: number): Finding {
  return {
    method: declaredOrigin.method,
    ...(generated > 0 ? weightOf('fake', strengthOfAssurance.unsigned) : noWeight),
    statement: stateOf(first),
    measures: { declarations, ofGeneratedContent: generated },
    source,
  };
}

const source =
  'IPTC NewsCodes, Digital Source Type; GB 45438-2025; formats of the generators themselves.';

function stateOf({ origin, place, field, generator }: Declaration): Wording {
  const what = originWords[origin];
  const where = placeWords[place];
  const maker = generator === null ? null : quoted(generator);
  return {
    en: `The file declares itself ${what.en}${maker ? ` (${maker.en})` : ''} in ${where.en} (field ${quoted(field).en}); no signature vouches for the declaration, so anybody can have written it.`,
    de: `Die Datei bezeichnet sich in ${where.de} (Feld ${quoted(field).de}) als ${what.de}${maker ? ` (${maker.de})` : ''}; keine Signatur bürgt für die Angabe, jeder kann sie geschrieben haben.`,
  };
}

function otherType(): Finding {
  return {
    method: declaredOrigin.method,
    ...noWeight,
    statement: {
      en: 'The file states a digital source type that names neither a camera nor a trained model.',
      de: 'Die Datei nennt einen digitalen Quelltyp, der weder eine Kamera noch ein trainiertes Modell bezeichnet.',
    },
    measures: { declarations: 0, ofGeneratedContent: 0 },
    source,
  };
}
