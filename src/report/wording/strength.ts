/** Sentences about how strongly an examination speaks for its class, and why no stronger. */

import type { Assurance, Bilingual, Language, Strength } from '../../contract/vocabulary.ts';
import type { SupportedRatio } from '../../engine/likelihood-ratio.ts';
import { createNumberWriter } from '../numbers.ts';
import { printable } from '../printable.ts';
import { inBoth } from '../report-item.ts';
import { labelsOf } from './catalogue.ts';

type Side = 'real' | 'fake';
type Spoken = Exclude<Strength, 'none'>;

/** Follows "speaks" and comes before "for": the verbal scale. */
export const strengthAdverbs: Readonly<Record<Language, Readonly<Record<Spoken, string>>>> = {
  en: {
    weak: 'weakly',
    moderate: 'moderately',
    moderatelyStrong: 'moderately strongly',
    strong: 'strongly',
    veryStrong: 'very strongly',
  },
  de: {
    weak: 'schwach',
    moderate: 'mäßig',
    moderatelyStrong: 'mäßig stark',
    strong: 'stark',
    veryStrong: 'sehr stark',
  },
};

/** What is spoken for; in German the accusative. */
const sideNames: Readonly<Record<Language, Readonly<Record<Side, string>>>> = {
  en: { real: 'a genuine photograph', fake: 'a generated or altered picture' },
  de: { real: 'eine echte fotografische Aufnahme', fake: 'ein erzeugtes oder verändertes Bild' },
};

export const undecided: Bilingual = {
  en: 'Nothing was decided, so no strength is stated.',
  de: 'Es wurde keine Entscheidung getroffen, daher wird keine Stärke angegeben.',
};

export const outside: Bilingual = {
  en: 'The picture lies outside the range for which the method was validated. There, neither the probability nor the other values have a tested meaning; no strength is stated.',
  de: 'Das Bild liegt außerhalb des Bereichs, für den das Verfahren validiert ist. Dort haben weder die Wahrscheinlichkeit noch die übrigen Werte eine geprüfte Bedeutung; eine Stärke wird nicht angegeben.',
};

interface Traced {
  readonly side: Side;
  readonly strength: Strength;
  /** What is stated, null when nothing can be, and what the probability alone would give. */
  readonly ratio: number | null;
  readonly traced: number;
}

export function writeTraced({ side, strength, ratio, traced }: Traced): Bilingual {
  return inBoth((language) => {
    const { plain } = createNumberWriter(language);
    const words = tracedWords[language];
    const name = sideNames[language][side];
    if (ratio === null) return words.unsupported(name);
    const stated =
      strength === 'none'
        ? words.none(name, plain(ratio))
        : words.stated(strengthAdverbs[language][strength], name, plain(ratio));
    return traced > ratio ? `${stated} ${words.bounded(plain(traced), plain(ratio))}` : stated;
  });
}

const tracedWords = {
  en: {
    stated: (adverb: string, side: string, ratio: string) =>
      `The traces in the picture speak ${adverb} for ${side} (likelihood ratio ${ratio}).`,
    unsupported: (side: string) =>
      `The traces in the picture point to ${side}, but how strongly cannot be stated.`,
    none: (side: string, ratio: string) =>
      `The traces in the picture point to ${side}, but no strength can be stated: the likelihood ratio is no more than ${ratio}.`,
    bounded: (traced: string, ratio: string) =>
      `Taken by itself, the estimated probability would correspond to a ratio of ${traced}; the measured error rates support no more than ${ratio}.`,
  },
  de: {
    stated: (adverb: string, side: string, ratio: string) =>
      `Die Spuren im Bild sprechen ${adverb} für ${side} (Likelihood-Verhältnis ${ratio}).`,
    unsupported: (side: string) =>
      `Die Spuren im Bild deuten auf ${side} hin; wie stark, lässt sich nicht angeben.`,
    none: (side: string, ratio: string) =>
      `Die Spuren im Bild deuten auf ${side} hin, doch lässt sich keine Stärke angeben: Das Likelihood-Verhältnis beträgt höchstens ${ratio}.`,
    bounded: (traced: string, ratio: string) =>
      `Für sich genommen entspräche die geschätzte Wahrscheinlichkeit einem Verhältnis von ${traced}; die gemessenen Fehlerraten tragen nicht mehr als ${ratio}.`,
  },
} as const satisfies Record<Language, object>;

/** @param isMeasured - true where figures are there, but not those that it takes. */
export function writeNoCap(isMeasured: boolean): Bilingual {
  return isMeasured ? halfMeasured : unmeasured;
}

const unmeasured: Bilingual = {
  en: 'No error rates were measured for this model, so nothing supports a statement of strength.',
  de: 'Für dieses Modell wurden keine Fehlerraten gemessen; eine Stärke lässt sich daher nicht belegen.',
};

const halfMeasured: Bilingual = {
  en: 'The error rates recorded for this model do not tell how many pictures were classified correctly, so they support no statement of strength.',
  de: 'Die für dieses Modell festgehaltenen Fehlerraten geben nicht an, wie viele Bilder richtig eingestuft wurden; eine Stärke lässt sich damit nicht belegen.',
};

interface Capped {
  readonly supported: SupportedRatio;
  readonly ratio: number;
  readonly side: Side;
  /** Whether the figures are those of a looser strategy than the one that decided. */
  readonly isLooser: boolean;
}

export function writeCap({ supported, ratio, side, isLooser }: Capped): Bilingual {
  return inBoth((language) => {
    const { count, rate, plain } = createNumberWriter(language);
    const { strategy, condition, right, rightOf, wrong, wrongOf, wrongAtMost } = supported;
    const names = labelsOf(language).validation.conditions;
    const words = cappedWords[language];
    return words.write(
      {
        right: `${count(right)} ${words.of} ${count(rightOf)}`,
        wrong: `${count(wrong)} ${words.of} ${count(wrongOf)}`,
        strategy: isLooser ? words.looser(strategy) : words.used(strategy),
        condition: names[condition] ?? printable(condition),
        bound: rate(wrongAtMost),
        ratio: plain(ratio),
      },
      words.sides[side],
    );
  });
}

type CapFigures = Readonly<
  Record<'right' | 'wrong' | 'strategy' | 'condition' | 'bound' | 'ratio', string>
>;

/** Plurals of the side itself and of the other one, as they stand in the sentence. */
interface SideWords {
  readonly own: string;
  readonly other: string;
  readonly ofOther: string;
  readonly called: string;
}

interface CappedWords {
  readonly of: string;
  readonly used: (strategy: string) => string;
  readonly looser: (strategy: string) => string;
  readonly sides: Readonly<Record<Side, SideWords>>;
  readonly write: (figures: CapFigures, side: SideWords) => string;
}

const cappedWords: Readonly<Record<Language, CappedWords>> = {
  en: {
    of: 'of',
    used: (strategy) => `strategy “${strategy}”`,
    looser: (strategy) =>
      `strategy “${strategy}”, which decides alike whatever a stricter one does`,
    sides: {
      fake: {
        own: 'generated pictures',
        other: 'photographs',
        ofOther: 'of photographs',
        called: '“fake”',
      },
      real: {
        own: 'photographs',
        other: 'generated pictures',
        ofOther: 'of generated pictures',
        called: '“real”',
      },
    },
    write: ({ right, wrong, strategy, condition, bound, ratio }, { own, other, ofOther, called }) =>
      `When the method was measured, ${right} ${own} and ${wrong} ${other} were called ${called} (${strategy}; condition “${condition}”, the least favourable of those measured). That is compatible with up to ${bound} ${ofOther} being called ${called} wrongly (one-sided upper 95 % bound after Clopper and Pearson). The figures therefore support a likelihood ratio of at most ${ratio}.`,
  },
  de: {
    of: 'von',
    used: (strategy) => `Strategie „${strategy}“`,
    looser: (strategy) =>
      `Strategie „${strategy}“, die ebenso entscheidet, was eine strengere entscheidet`,
    sides: {
      fake: {
        own: 'erzeugten Bildern',
        other: 'Fotografien',
        ofOther: 'der Fotografien',
        called: '„fake“',
      },
      real: {
        own: 'Fotografien',
        other: 'erzeugten Bildern',
        ofOther: 'der erzeugten Bilder',
        called: '„real“',
      },
    },
    write: ({ right, wrong, strategy, condition, bound, ratio }, { own, other, ofOther, called }) =>
      `Bei der Messung des Verfahrens wurden ${right} ${own} und ${wrong} ${other} als ${called} eingestuft (${strategy}; Bedingung „${condition}“, die ungünstigste der gemessenen). Damit ist vereinbar, dass bis zu ${bound} ${ofOther} fälschlich so eingestuft werden (einseitige obere 95-%-Schranke nach Clopper und Pearson). Die Zahlen tragen daher ein Likelihood-Verhältnis von höchstens ${ratio}.`,
  },
};

export function writeDeclared(assurance: Assurance, strength: Spoken): Bilingual {
  return inBoth((language) => {
    const { head, vouched, tail } = declaredWords[language];
    const spoken = vouched[assurance](strengthAdverbs[language][strength]);
    return `${head} ${spoken} ${tail}`;
  });
}

interface DeclaredWords {
  readonly head: string;
  readonly vouched: Readonly<Record<Assurance, (adverb: string) => string>>;
  readonly tail: string;
}

const declaredWords: Readonly<Record<Language, DeclaredWords>> = {
  en: {
    head: 'The decision rests on what the file declares about itself, not on traces in the picture.',
    vouched: {
      unsigned: (adverb) =>
        `The declaration is not signed, and anybody can write one into a file, even into a genuine photograph; it therefore speaks only ${adverb} for ${sideNames.en.fake}.`,
      signed: (adverb) =>
        `The declaration is signed and the signature fits the file, but anybody can sign, and no trusted party vouches for this signer; it therefore speaks only ${adverb} for ${sideNames.en.fake}.`,
      trusted: (adverb) =>
        `The declaration is signed by a signer from the list of trusted signers, and the signature fits the file; it speaks ${adverb} for ${sideNames.en.fake}.`,
    },
    tail: 'The measured error rates of the method do not apply here, and no likelihood ratio is stated.',
  },
  de: {
    head: 'Die Entscheidung beruht auf dem, was die Datei über sich selbst angibt, nicht auf Spuren im Bild.',
    vouched: {
      unsigned: (adverb) =>
        `Die Angabe ist nicht signiert, und jeder kann sie in eine Datei schreiben, selbst in eine echte Aufnahme; sie spricht daher nur ${adverb} für ${sideNames.de.fake}.`,
      signed: (adverb) =>
        `Die Angabe ist signiert, und die Signatur passt zur Datei; signieren kann aber jeder, und keine vertrauenswürdige Stelle bürgt für diesen Unterzeichner. Sie spricht daher nur ${adverb} für ${sideNames.de.fake}.`,
      trusted: (adverb) =>
        `Die Angabe ist von einem Unterzeichner aus der Liste der vertrauenswürdigen Unterzeichner signiert, und die Signatur passt zur Datei; sie spricht ${adverb} für ${sideNames.de.fake}.`,
    },
    tail: 'Die gemessenen Fehlerraten des Verfahrens gelten hier nicht, und ein Likelihood-Verhältnis wird nicht angegeben.',
  },
};

/** How strongly a picture with a changed part speaks. */
export function writeChanged(strength: Strength): Bilingual {
  return inBoth((language) => {
    const { head, stated, none, tail } = changedWords[language];
    const side = sideNames[language].fake;
    const spoken =
      strength === 'none' ? none(side) : stated(strengthAdverbs[language][strength], side);
    return `${head} ${spoken} ${tail}`;
  });
}

const changedWords = {
  en: {
    head: 'The decision rests on what the methods that look for changed parts say together, not on the traces of the picture as a whole.',
    stated: (adverb: string, side: string) =>
      `The strongest of them speaks ${adverb} for ${side}, and no more is stated.`,
    none: (side: string) => `They point to ${side}, but none of them by itself states a strength.`,
    tail: 'The error rates measured for the whole picture do not apply here, and no likelihood ratio is stated.',
  },
  de: {
    head: 'Die Entscheidung beruht auf dem, was die Methoden, die nach veränderten Stellen suchen, zusammen ergeben, nicht auf den Spuren des Bildes im Ganzen.',
    stated: (adverb: string, side: string) =>
      `Die stärkste von ihnen spricht ${adverb} für ${side}; mehr wird nicht angegeben.`,
    none: (side: string) =>
      `Sie deuten auf ${side} hin, doch keine von ihnen gibt für sich eine Stärke an.`,
    tail: 'Die für das ganze Bild gemessenen Fehlerraten gelten hier nicht, und ein Likelihood-Verhältnis wird nicht angegeben.',
  },
} as const satisfies Record<Language, object>;
