import type { cases as english } from '../en/cases.ts';

export const cases: typeof english = {
  title: (name) => `Fall ${name}`,
  order: 'Zuerst stehen die Bilder, die man sich ansehen muss.',
  pictures: (count) => (count === 1 ? '1 Bild' : `${count} Bilder`),
  kinds: {
    failed: 'fehlgeschlagen',
    generated: 'mit Anzeichen für ein KI-erzeugtes Bild',
    changed: 'mit Anzeichen für eine Veränderung',
    seen: 'auch außerhalb dieses Falls vorgelegt',
    suspected: 'mit Verdacht auf eine Veränderung',
    undecided: 'unentschieden',
    unjudged: 'nicht beurteilbar',
    atWork: 'in Untersuchung',
    noSign: 'ohne Anzeichen',
  },
  oneCamera: 'von derselben Kamera',
  noResult: 'Noch kein Ergebnis.',
  noPage:
    'Bei diesem Bild wurde nur das Ergebnis ermittelt (Umfang „flagging“), daher hat es hier keine eigene Seite.',
  pages:
    'Es folgt eine Seite zu jedem Bild. Den vollständigen Bericht enthält das Beweispaket des Bildes.',
  picture: (at, of) => `Bild ${at} von ${of}`,
};
