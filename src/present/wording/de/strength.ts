import type * as english from '../en/strength.ts';

/** In the accusative. */
const sides: (typeof english.strength)['sides'] = {
  real: 'eine fotografische Aufnahme und gegen ein KI-erzeugtes Bild',
  fake: 'ein KI-erzeugtes Bild und gegen eine fotografische Aufnahme',
  changed: 'eine Veränderung in einem Teil des Bildes',
  unchanged: 'ein unverändertes Bild',
  declared: 'eine Erzeugung durch KI',
};

export const strength: typeof english.strength = {
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
  evaluation: {
    sides: {
      real: (adverb) => `spricht ${adverb} für eine Fotografie`,
      fake: (adverb) => `spricht ${adverb} für ein KI-erzeugtes Bild`,
      changed: (adverb) => `spricht ${adverb} für eine Veränderung`,
    },
    noneSpeaks: 'Kein Befund spricht für oder gegen ein KI-erzeugtes oder verändertes Bild.',
    tippett: {
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
        'Die Datei wurde nach dem Signieren verändert: Ihre Content Credentials passen nicht mehr zu ihr. Das kann schon am erneuten Speichern oder Skalieren liegen; der Bildinhalt muss nicht verändert worden sein.',
      unreadable: 'Die Content Credentials sind nicht lesbar und haben daher keine Aussagekraft.',
    },
    authenticity:
      'Die Echtheit, also ob das Bild ist, wofür es ausgegeben wird, ist eine andere Frage. Eine Datei kann unversehrt und ihr Inhalt dennoch KI-erzeugt sein; umgekehrt bleibt eine Fotografie auch nach erneutem Speichern eine Fotografie.',
  },
};

export const limits: typeof english.limits = {
  validation: {
    intro: ({ strategy, real, fake }) =>
      `Gemessen mit diesem Modell und der Strategie ${strategy} an ${real} Fotografien und ${fake} KI-erzeugten Bildern aus Quellen, die bei seiner Entwicklung nicht verwendet wurden. Die AUC ist der Anteil der Paare aus einer Fotografie und einem KI-erzeugten Bild, in denen das KI-erzeugte Bild den höheren Wert erhält (0,5 entspricht dem Zufall). In Klammern stehen zweiseitige 95-%-Konfidenzintervalle; für die AUC sind sie nach Quellen berechnet, für die Raten nach Bildern (Clopper und Pearson). Bilder einer Quelle ähneln einander, die Raten sind daher tatsächlich unsicherer.`,
    sides: ({ least, greatest }) =>
      `Diese Bilder hatten an der längeren Seite ${least} bis ${greatest} Pixel; mit größeren und kleineren Bildern wurde nicht gemessen.`,
    outside: ({ least, greatest, own }) =>
      `Ob das Verfahren KI-erzeugte Bilder erkennt, wurde an Bildern mit ${least} bis ${greatest} Pixeln an der längeren Seite geprüft; dieses Bild hat ${own}. Die hier dazu angegebene Stärke ist daher weniger sicher.`,
    none: 'Für dieses Modell wurden keine Fehlerraten gemessen. Eine Entscheidung darf sich nicht allein auf sein Ergebnis stützen.',
    columns: [
      'Bedingung',
      'AUC',
      'Entschieden',
      'Fotografien als KI-erzeugt eingestuft',
      'KI-erzeugte als Fotografie eingestuft',
    ],
    meaning:
      'Eine Rate besagt, wie oft Bilder einer Klasse in dieser Auswahl falsch beurteilt wurden. Sie ist nicht die Wahrscheinlichkeit, dass das vorliegende Ergebnis falsch ist: Diese hängt auch davon ab, wie häufig KI-erzeugte Bilder unter den untersuchten sind.',
    changes: {
      title: 'Veränderte Teile',
      intro: ({ strategy, changed, photographs }) =>
        `So oft wurden Bilder mit der Strategie ${strategy} als verändert eingestuft, gemessen an ${changed} von Menschen veränderten Bildern öffentlicher Sammlungen und an ${photographs} unveränderten Fotografien. Keines dieser Bilder wurde bei der Entwicklung des Verfahrens verwendet. In Klammern stehen zweiseitige 95-%-Konfidenzintervalle mit dem einzelnen Bild als Einheit (Clopper und Pearson).`,
      columns: [
        'Bedingung',
        'Veränderte als verändert eingestuft',
        'Fotografien als verändert eingestuft',
      ],
      suspected: {
        intro:
          'Einschließlich bloßer Verdachtsfälle; zu den unveränderten Bildern zählen hier auch die Originale der veränderten Bilder aus den öffentlichen Sammlungen:',
        row: ({ condition, found, changed, falsely, called, unchanged }) =>
          `${condition}: vermutet oder festgestellt wurde eine Veränderung bei ${found} von ${changed} veränderten und bei ${falsely} von ${unchanged} unveränderten Bildern (von diesen als verändert eingestuft: ${called}).`,
      },
      sizes: {
        intro:
          'Dasselbe nach Größe, ohne erneutes Speichern. Hier zählen auch simulierte Veränderungen in unbeschnittenen Fotografien mit; in großen Bildern sind fast alle Veränderungen simuliert.',
        column: 'Megapixel (Bilder)',
        row({ from, below, changed, photographs }) {
          const range = from === null ? `unter ${below}` : `${from} bis ${below}`;
          return `${below === null ? `ab ${from}` : range} (${changed} und ${photographs})`;
        },
      },
      meaning:
        'Veränderungen werden oft übersehen, besonders wenn ein Bild danach erneut gespeichert oder skaliert wurde: Dass keine gefunden wurde, heißt nicht, dass es keine gibt.',
    },
    ownTitle: (id) => `Eigene Validierung ${id}`,
    own: ({ real, fake, time, model, strategy }) =>
      `Vom Betreiber dieses Programms gemessen (${time}) an ${real} eigenen Fotografien und ${fake} eigenen KI-erzeugten Bildern, mit dem Modell ${model} und der Strategie ${strategy}. Diese Validierung geht nicht in die im Bericht angegebene Stärke ein.`,
    ownOtherModel:
      'Sie wurde mit einem anderen Modell als diese Untersuchung durchgeführt und gilt für diese nicht.',
    neverTestedTitle: 'Nie geprüft',
    neverTested: [
      'Von Menschen veränderte Teile in Bildern von mehr als etwa 2 Megapixeln: Die öffentlichen Sammlungen enthalten keine; bei dieser Größe wurden nur simulierte Veränderungen gemessen.',
      'Fotografien von Bildschirmen und Abzügen, Scans, starke Retusche und Hochskalieren.',
      'Absichtliche Versuche, das Verfahren zu täuschen.',
      'Generatoren, Kameras und Programme, die in der Modellbeschreibung nicht genannt sind.',
    ],
  },
  limits: {
    nature: {
      traced:
        'Das Ergebnis ist eine Schätzung anhand statistischer Spuren. Es ist kein Beweis und sagt nichts über den Bildinhalt, die Bildunterschrift oder die Umstände der Aufnahme aus.',
      changed:
        'Das Ergebnis ist eine Schätzung anhand der Spuren einer Veränderung in einem Teil des Bildes; wie oft solche Ergebnisse zutreffen und nicht zutreffen, steht im Anhang „Validierung und Fehlerraten“ unter „Veränderte Teile“. Es ist kein Beweis und sagt nichts über den Bildinhalt, die Bildunterschrift oder die Umstände der Aufnahme aus.',
      declared:
        'Das Ergebnis gibt wieder, was in der Datei angegeben ist. Es ist kein Beweis: Angaben können falsch sein, und unsignierte kann jeder schreiben. Über Bildinhalt, Bildunterschrift und Aufnahme sagt es nichts aus.',
    },
    statements: [
      'Beurteilt werden Bilder ab 128 × 128 Pixeln; unter 65.536 Pixeln insgesamt wird eine Veränderung höchstens vermutet.',
      'Das Ergebnis gilt für die untersuchte Datei, nicht für andere Kopien des Bildes.',
      'Das Verfahren ist nur für Fotografien validiert, mit den im Anhang genannten Fehlerraten. Bei anderen Kameras, Programmen und Generatoren können sie höher sein; die Modellbeschreibung (CARD.md) führt sie nach Quellen auf.',
    ],
    figures: [
      'Die angegebene Unsicherheit ist die Streuung der Monte-Carlo-Durchläufe. Unterschiede zwischen Geräten, Programmen und Motiven, die im Training nicht vorkamen, erfasst sie nicht.',
      'Die Wahrscheinlichkeit, dass das Bild KI-erzeugt ist, gilt unter der Annahme, dass vor der Untersuchung beide Erklärungen gleich wahrscheinlich waren, die einer Veränderung unter der Annahme, dass jedes fünfte Bild verändert ist. Wer den Fall beurteilt, muss einbeziehen, was sonst bekannt ist.',
    ],
    notCheckedTitle: 'Nicht geprüft',
    examinerShort: 'Bild und Ergebnis von Sachverständigen prüfen lassen.',
    examiner:
      'Dieser Bericht wurde von einem automatischen Verfahren erstellt. Er darf nicht die einzige Grundlage einer Entscheidung über einen Menschen sein. Das Bild, seine Herkunft und die übrigen Beweismittel muss eine sachverständige Person prüfen, die ihre Schlussfolgerung selbst verantwortet.',
  },
  notCheckedBrief: {
    invisible_watermarks: 'unsichtbare Wasserzeichen einzelner Anbieter, etwa SynthID von Google',
    local_edits: 'bearbeitete Bereiche',
    small_edits: 'sehr kleine Bearbeitungen',
    erased_edits: 'Bearbeitungen, deren Spuren beim Speichern verloren gingen',
    camera_reference: 'welche Kamera das Bild aufgenommen hat',
    recapture: 'ob ein Bildschirm oder Abzug abfotografiert wurde',
    content: 'Bildinhalt, Licht und Schatten',
    earlier_publication: 'ob das Bild schon veröffentlicht war',
    metadata_claims: 'die Angaben der Datei zu Gerät, Zeit und Ort anhand anderer Quellen',
    remote_credentials: 'anderswo gespeicherte Content Credentials',
    signer_trust: 'ob der Unterzeichner vertrauenswürdig ist',
    signer_revocation: 'ob das Zertifikat widerrufen wurde',
    stability: 'ob das Ergebnis erneutes Speichern übersteht',
  },
  notChecked: {
    invisible_watermarks:
      'Nach Wasserzeichen proprietärer Dienste wie SynthID wurde nicht gesucht: Nur die Detektoren ihrer Hersteller können sie auslesen, und diese sind ohne Netzverbindung nicht verfügbar. Nach den quelloffenen aus dem Referenzcode von Stable Diffusion, SDXL und FLUX wurde gesucht; Speichern als JPEG zerstört die meisten. Von sichtbaren Zeichen wurde nach denen von Google Gemini und DALL-E 2 unten rechts gesucht.',
    local_edits:
      'Nach bearbeiteten Bildbereichen wurde nicht gesucht: Eingefügte, kopierte, entfernte oder übermalte Teile können unbemerkt bleiben.',
    small_edits:
      'Kleine bearbeitete Bereiche und solche, deren Spuren durch späteres Speichern oder Skalieren verloren gingen, können der Suche entgangen sein.',
    erased_edits:
      'In diesem Bild sind kaum Spuren erhalten, die bearbeitete Bereiche verraten könnten; dass keiner gefunden wurde, sagt daher wenig aus.',
    camera_reference:
      'Ob eine bestimmte Kamera das Bild aufgenommen hat, wurde nicht untersucht: Ein Vergleich des Sensorrauschens (PRNU) erfordert Referenzbilder dieser Kamera.',
    recapture:
      'Ob die Kamera die Szene selbst oder nur deren Wiedergabe auf einem Bildschirm oder Abzug aufgenommen hat, wurde nicht untersucht.',
    content:
      'Bildinhalt, Beleuchtung, Schatten und Perspektive wurden nicht beurteilt, ebenso wenig, ob das Bild zeigt, was es zeigen soll.',
    earlier_publication:
      'Nach früheren Veröffentlichungen des Bildes im Netz wurde nicht gesucht (Bilderrückwärtssuche).',
    metadata_claims:
      'Die Angaben in der Datei zu Gerät, Zeit und Ort wurden mit keiner Quelle außerhalb der Datei verglichen.',
    remote_credentials:
      'Content Credentials (signierte Herkunftsangaben), die außerhalb der Datei liegen, etwa auf dem Server eines Anbieters, wurden nicht abgerufen.',
    signer_trust:
      'Ob der Unterzeichner der Content Credentials vertrauenswürdig ist, wurde nicht geprüft: Es war keine Liste vertrauenswürdiger Unterzeichner angegeben. Die offizielle Liste der C2PA ist die Datei C2PA-TRUST-LIST.pem im Ordner trust-list von github.com/c2pa-org/conformance-public; sie wird mit --trust-list angegeben.',
    signer_revocation:
      'Ob das Zertifikat des Unterzeichners widerrufen wurde, wurde nicht geprüft: Dazu wäre eine Abfrage über das Netz nötig.',
    stability:
      'Ob das Ergebnis erneutem Speichern, Skalieren oder Beschneiden standhält, wurde nicht geprüft.',
  },
};
