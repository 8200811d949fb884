import { kept } from '../../printable.ts';
import type { strength as english } from '../en/strength.ts';

const adverbs: (typeof english)['adverbs'] = {
  weak: 'schwach',
  moderate: 'mäßig',
  moderatelyStrong: 'deutlich',
  strong: 'stark',
  veryStrong: 'sehr stark',
};

/** In the accusative. */
const sides: (typeof english)['sides'] = {
  real: 'eine fotografische Aufnahme und gegen ein KI-erzeugtes Bild',
  fake: 'ein KI-erzeugtes Bild und gegen eine fotografische Aufnahme',
  changed: 'eine Veränderung in einem Teil des Bildes',
  unchanged: 'ein unverändertes Bild',
  declared: 'eine Erzeugung durch KI',
};

export const strength: typeof english = {
  adverbs,
  sides,
  outside:
    'Keine Angabe möglich: Bei einem solchen Bild sind die Werte des Verfahrens nicht aussagekräftig.',
  untested:
    'Für dieses Bild sind die Werte des Spurennetzes nicht aussagekräftig; sie werden daher nicht angegeben.',
  traced: {
    subject: (withSize) =>
      withSize ? 'Die Spuren im Bild, zusammen mit seinem Format,' : 'Die Spuren im Bild',
    stated: (subject, adverb, side, ratio, bound) => {
      const both = ['einer Fotografie', 'einem KI-erzeugten Bild'];
      const [own, other] = side === 'real' ? both : both.toReversed();
      const speaksFor = side === 'real' ? 'eine Fotografie' : 'ein KI-erzeugtes Bild';
      return `${subject} sind bei ${own} ${ratio}-mal so wahrscheinlich wie bei ${other} (Likelihood-Quotient ${ratio}${bound}); das spricht ${adverb} für ${speaksFor}.`;
    },
    unsupported: (subject, side) =>
      `${subject} deuten auf ${side === 'real' ? 'eine Fotografie' : 'ein KI-erzeugtes Bild'} hin; wie stark, lässt sich nicht angeben.`,
    neither: (subject, side, ratio) => {
      const name = side === 'real' ? 'eine Fotografie' : 'ein KI-erzeugtes Bild';
      return `${subject} sprechen weder für eine Fotografie noch für ein KI-erzeugtes Bild (Likelihood-Quotient ${ratio}${ratio === '1' ? '' : ` für ${name}`}; unter 2 spricht er für keine Seite).`;
    },
  },
  parts: {
    for: (adverb, ratio, bound) =>
      `Die Suche nach Veränderungen (alle Methoden zusammen) ergibt einen Wert, der bei veränderten Bildern ${ratio}-mal so wahrscheinlich ist wie bei unveränderten (Likelihood-Quotient ${ratio}${bound}); das spricht ${adverb} für eine Veränderung.`,
    against: (adverb, ratio, bound) =>
      `Die Suche nach Veränderungen (alle Methoden zusammen) ergibt einen niedrigen Wert, bei unveränderten Bildern ${ratio}-mal so wahrscheinlich wie bei veränderten (Likelihood-Quotient ${ratio}${bound}); das spricht ${adverb} gegen eine Veränderung.`,
    neither: (side, ratio) => {
      const name = side === 'changed' ? 'eine Veränderung' : 'ein unverändertes Bild';
      return `Die Suche nach Veränderungen (alle Methoden zusammen) spricht weder für noch gegen eine Veränderung (Likelihood-Quotient ${ratio}${ratio === '1' ? '' : ` für ${name}`}; unter 2 spricht er für keine Seite).`;
    },
  },
  bound: ', begrenzt auf das, was die Tests stützen',
  unmeasured:
    'Für dieses Modell wurden keine Fehlerraten gemessen; wie stark der Befund ist, lässt sich daher nicht belegen.',
  halfMeasured:
    'Die für dieses Modell festgehaltenen Fehlerraten geben nicht an, wie viele Bilder richtig eingestuft wurden; wie stark der Befund ist, lässt sich damit nicht belegen.',
  cap: {
    of: 'von',
    used: (strategy) => `Strategie „${strategy}“`,
    looser: (strategy) =>
      `Strategie „${strategy}“; wo eine strengere Strategie entscheidet, entscheidet sie ebenso`,
    sides: {
      fake: {
        own: 'KI-erzeugten Bildern',
        other: 'Fotografien',
        ofOther: 'der Fotografien',
        called: 'KI-erzeugt',
      },
      real: {
        own: 'Fotografien',
        other: 'KI-erzeugten Bildern',
        ofOther: 'der KI-erzeugten Bilder',
        called: 'Fotografie',
      },
    },
    held: ({ own, other, condition, ratio }, names) =>
      `Zugunsten der Zuordnung zu ${names.own} wird kein Likelihood-Quotient über ${ratio} angegeben: Höhere Werte sind durch die Messung an ${own} ${names.own} und ${other} ${names.other} aus Quellen, die bei der Entwicklung nicht verwendet wurden, nicht gedeckt (empirische untere und obere Schranke, ELUB; Bedingung „${condition}“, die ungünstigste der gemessenen).`,
    write: ({ right, wrong, strategy, condition, bound, ratio }, { own, other, ofOther, called }) =>
      `Bei der Messung des Verfahrens wurden ${right} ${own} und ${wrong} ${other} als ${called} eingestuft (${strategy}; Bedingung „${condition}“, die ungünstigste der gemessenen). Damit ist vereinbar, dass bis zu ${bound} ${ofOther} fälschlich so eingestuft werden (einseitige obere 95-%-Schranke nach Clopper und Pearson). Belegt ist damit ein Likelihood-Quotient von höchstens ${ratio}.`,
  },
  declared: {
    unsigned: (adverb) =>
      `Die Angabe spricht ${adverb} für ${sides.declared} (pauschal eingestuft, nicht gemessen): Keine vertrauenswürdige Signatur bestätigt sie, und jeder kann sie in eine Datei schreiben.`,
    watermark: (adverb) =>
      `Das Wasserzeichen oder Logo im Bild spricht ${adverb} für ${sides.declared} (pauschal eingestuft, nicht gemessen): Es entsteht nicht zufällig, doch jeder kann es in ein Bild setzen.`,
    signed: (adverb) =>
      `Die Angabe spricht ${adverb} für ${sides.declared} (pauschal eingestuft, nicht gemessen): Die Signatur passt zur Datei, doch signieren kann jeder, und ob diesem Unterzeichner zu trauen ist, ist nicht belegt.`,
    trusted: (adverb) =>
      `Die Angabe spricht ${adverb} für ${sides.declared} (pauschal eingestuft, nicht gemessen): Ein Unterzeichner, der auf der Vertrauensliste steht, hat sie signiert, und die Signatur passt zur Datei.`,
  },
  changed: {
    stated: (adverb, side) =>
      `Der stärkste Befund der Methoden, die nach veränderten Stellen suchen, spricht ${adverb} für ${side}; ein Likelihood-Quotient wurde nicht gemessen.`,
    none: (side) =>
      `Die Methoden, die nach veränderten Stellen suchen, deuten auf ${side} hin, doch für keine von ihnen allein lässt sich eine Stärke angeben.`,
  },
  changedPart: {
    marked: (share, place, p) =>
      `Die Methoden, die nach veränderten Stellen suchen, markieren einen Bereich von ${share} des Bildes, ${place}; die Wahrscheinlichkeit, dass ein Teil verändert wurde, schätzen sie zusammen auf ${p}.`,
    markedSeveral: (places, p) =>
      `Die Methoden, die nach veränderten Stellen suchen, markieren mehrere Stellen (${places}); die Wahrscheinlichkeit, dass ein Teil verändert wurde, schätzen sie zusammen auf ${p}.`,
    unmarked: (p) =>
      `Die Methoden, die nach veränderten Stellen suchen, markieren in der Zusammenschau keinen Bereich; die Wahrscheinlichkeit, dass ein Teil verändert wurde, schätzen sie auf ${p}.`,
  },
  stability: {
    summary: ({ same, open, other, low, high }) => {
      const range = low === high ? `bei ${low}` : `zwischen ${low} und ${high}`;
      const tried = same + open + other;
      if (same === tried)
        return `Zur Probe wurde das Bild auf ${tried} Arten erneut gespeichert, skaliert oder beschnitten: Jedes Mal weisen die Spuren des ganzen Bildes weiterhin in dieselbe Richtung; die Wahrscheinlichkeit, dass es KI-erzeugt ist, liegt dann ${range}.`;
      const told = kept([
        same > 0 && `weisen in ${same} dieser Fälle weiterhin in dieselbe Richtung`,
        open > 0 && `bleiben in ${open} dieser Fälle unentschieden`,
        other > 0 && `weisen in ${other} dieser Fälle in die andere Richtung`,
      ]);
      const list = new Intl.ListFormat('de').format(told);
      return `Zur Probe wurde das Bild auf ${tried} Arten erneut gespeichert, skaliert oder beschnitten. Die Spuren des ganzen Bildes ${list}; die Wahrscheinlichkeit, dass es KI-erzeugt ist, liegt dann ${range}.`;
    },
    outcomes: { same: 'wie zuvor', open: 'unentschieden', other: 'entgegengesetzt' },
    changes: {
      'jpeg-90': 'als JPEG der Qualität 90 gespeichert',
      'jpeg-70': 'als JPEG der Qualität 70 gespeichert',
      'scale-75': 'auf 75 % verkleinert',
      'scale-50': 'auf 50 % verkleinert',
      'crop-5': 'um 5 % beschnitten',
    },
  },
  evaluation: {
    sides: {
      real: (adverb) => `spricht ${adverb} für eine Fotografie`,
      fake: (adverb) => `spricht ${adverb} für ein KI-erzeugtes Bild`,
      changed: (adverb) => `spricht ${adverb} für eine Veränderung`,
    },
    noneSpeaks: 'Kein Befund spricht für oder gegen ein KI-erzeugtes oder verändertes Bild.',
    tippett: {
      title: 'Güte der Likelihood-Quotienten',
      titles: { generated: 'Erzeugt oder aufgenommen', changed: 'An einer Stelle verändert' },
      axis: 'Likelihood-Quotient mindestens',
      names: {
        generated: { supporting: 'KI-erzeugte Bilder', opposing: 'Fotografien' },
        changed: { supporting: 'veränderte Bilder', opposing: 'unveränderte Bilder' },
      },
      own: 'dieses Bild',
      measured: (told) => {
        const made =
          told.calibration === null
            ? ''
            : `kalibriert an ${told.calibration.pictures} Bildern aus ${told.calibration.sources} Quellen; `;
        const of = told.calibration === null ? 'eigenen Bildern' : 'Bildern anderer Quellen';
        return `${told.title}: ${made}gemessen (${told.date}) an ${of} (${told.supporting}, ${told.opposing}), Bedingung „${told.condition}“. Cllr ${told.cllr} (0 ist ideal, 1 bedeutet keine Aussagekraft); belegt sind Quotienten von ${told.lower} bis ${told.upper} (ELUB).`;
      },
    },
    scale: (steps) =>
      `Stufen nach Likelihood-Quotient: ${steps}; unter 2 spricht der Befund für keine der beiden Hypothesen.`,
    scaleStep: (adverb, from) => `${adverb} ab ${from}`,
    scaleNote:
      'Der Likelihood-Quotient gibt an, um welchen Faktor der Befund unter der einen Hypothese wahrscheinlicher ist als unter der anderen. Die Stufen folgen dem ENFSI-Leitfaden von 2015; die beiden höchsten sind zusammengefasst. Höher, als die Validierung es rechtfertigt, wird keine Stärke angegeben.',
    integrity:
      'Unversehrtheit: Die Prüfsummen des Untersuchungsgegenstands zeigen, welche Bytes untersucht wurden. Ob es die Bytes des Originals sind, zeigen sie nicht.',
    credentials: {
      valid:
        'Die Content Credentials zeigen, dass die Datei seit dem Signieren nicht verändert wurde.',
      broken:
        'Die Datei wurde nach dem Signieren verändert: Ihre Content Credentials passen nicht mehr zu ihr. Schon erneutes Speichern oder Skalieren bewirkt das; am Bildinhalt muss dazu nichts verändert worden sein.',
      unreadable: 'Die Content Credentials sind nicht lesbar und haben daher keine Aussagekraft.',
    },
    authenticity:
      'Die Echtheit, also ob das Bild ist, wofür es ausgegeben wird, ist eine andere Frage. Eine Datei kann unversehrt und ihr Inhalt dennoch KI-erzeugt sein; umgekehrt bleibt eine Fotografie auch nach erneutem Speichern eine Fotografie.',
  },
};
