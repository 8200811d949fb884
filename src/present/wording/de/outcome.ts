import type * as english from '../en/outcome.ts';

const signers: Readonly<Record<english.SignerTrust, string>> = {
  trusted: 'signierte Herkunftsangaben',
  open: 'signierte Herkunftsangaben, Unterzeichner nicht bestätigt',
  test: 'Herkunftsangaben, anscheinend mit einem Testzertifikat signiert',
};

export const outcome: typeof english.outcome = {
  headlines: {
    real: 'Keine Anzeichen für ein KI-erzeugtes oder verändertes Bild',
    blind: 'Keine Anzeichen für ein KI-erzeugtes Bild; Veränderungen nicht beurteilbar',
    hinted: 'Keine Anzeichen für KI; allenfalls ein Hinweis auf Veränderung',
    fake: 'Anzeichen für ein KI-erzeugtes Bild gefunden',
    changed: (isSeveral) =>
      `Anzeichen für ${isSeveral ? 'mehrere veränderte Stellen' : 'eine veränderte Stelle'} gefunden`,
    copied: 'Anzeichen für eine kopierte Stelle gefunden',
    declared: (isParts, tracesAgree) =>
      isParts
        ? `Laut Datei sind Teile des Bildes KI-erzeugt${tracesAgree ? '; die Spuren deuten auf das ganze Bild' : ''}`
        : `Laut Datei ist das Bild KI-erzeugt${tracesAgree ? '; auch seine Spuren sprechen dafür' : ''}`,
    uncertain: 'Unentschieden: Die Befunde sind nicht klar genug',
    contradicted: 'Unentschieden: Datei und Spuren passen nicht zusammen',
    suspected: (isSeveral) =>
      `${isSeveral ? 'Mehrere veränderte Stellen' : 'Veränderte Stelle'} vermutet, aber nicht belegt`,
    copySuspected: 'Kopierte Stelle vermutet, aber nicht belegt',
    damaged: 'Unentschieden: Markiert ist nur, wo die Datei beschädigt ist',
    isolated: (isCopy) =>
      `Unentschieden: nur einzelne Anzeichen für eine ${isCopy ? 'Kopie' : 'Veränderung'}`,
    editDeclared: 'Datei gibt Bearbeitung an; Veränderung vermutet',
    abstain: 'Das Programm kann dieses Bild nicht beurteilen',
  },
  because: {
    unstated:
      'Der Umfang „flagging“ liefert nur das Ergebnis; den Grund nennt der forensische Bericht.',
    real: 'Ob der Inhalt stimmt, wurde nicht geprüft; Veränderungen bleiben oft unbemerkt.',
    missed: (called) =>
      `Der Bildinhalt wurde nicht geprüft. In Tests mit solchen Bildern wurden ${called} Veränderungen nicht sicher erkannt.`,
    blind: (called) =>
      `Der Bildinhalt wurde nicht geprüft. In Tests mit solchen Bildern wurden ${called} Veränderungen nicht sicher erkannt. Dass das Verfahren keine Veränderung fand, besagt daher nichts.`,
    hinted:
      'Alle Methoden zusammen deuten leicht auf eine Veränderung hin, reichen für einen Verdacht aber nicht aus. Der Bildinhalt wurde nicht geprüft.',
    damaged: 'Die Datei ist beschädigt; schon das kann erklären, was markiert ist.',
    wholeReal:
      'Das Bild als Ganzes zeigt keine Anzeichen dafür, dass es KI-erzeugt ist; ob KI an einer Stelle eingesetzt wurde, bleibt offen.',
    wholeOpen: 'Ob KI das Bild erzeugt hat, bleibt unentschieden.',
    savedAgain: {
      saved: (program, sign) =>
        `${program === null ? `Die Datei wurde wohl nach der Aufnahme neu gespeichert; darauf deutet ${sign} hin` : `Laut Metadaten wurde die Datei mit ${program} gespeichert`}; das allein belegt keine Veränderung.`,
      signed:
        'Die Datei passt nicht mehr zu ihrer Signatur; das kann schon am erneuten Speichern liegen.',
      rewritten: (program) =>
        `Es fehlen die Herstellerdaten (MakerNote), die die angegebene Kamera immer schreibt: ${program === null ? 'Die Kameradaten wurden neu geschrieben, wie es viele Programme tun, oder stammen nicht von der Kamera' : `Das kann am Speichern mit ${program} liegen, das die Datei nennt; sonst stammen die Kameradaten nicht von der Kamera`}.`,
    },
    declaredEdits: (steps, signer) =>
      `Die Content Credentials der Datei (${signers[signer]}) geben an: ${steps}.`,
    fake: (hasSize) =>
      `Die Spuren im Bild ähneln denen von KI-Bildgeneratoren${hasSize ? '; auch das Format passt dazu' : ''}.`,
    changed: (place, marked) =>
      ({
        one: `Eine Stelle${place} unterscheidet sich vom Rest.`,
        several: `Mehrere Stellen${place} unterscheiden sich vom Rest.`,
        copies: `Zwei Stellen${place} gleichen einander wie Original und Kopie.`,
        word: `Ein Wort oder eine Zahl${place} weicht von ähnlichen ab.`,
        unsure: `Etwas im Bild scheint verändert zu sein; wo${place}, ist unsicher.`,
      })[marked],
    declared: (place, name) => `So steht es in ${place}${name}.`,
    manipulation_suspected: (place, marked) =>
      ({
        one: `Eine Stelle${place} könnte verändert sein; als Beleg reichen die Anzeichen nicht aus.`,
        several: `Mehrere Stellen${place} könnten verändert sein; als Beleg reichen die Anzeichen nicht aus.`,
        copies: `Zwei Stellen${place} gleichen sich; als Beleg einer Kopie reichen die Anzeichen nicht aus.`,
        word: `Ein Wort oder eine Zahl${place} weicht von ähnlichen ab; als Beleg einer Veränderung reicht das nicht aus.`,
        unsure: `Das Bild könnte verändert sein; wo${place}, ist unsicher. Als Beleg reichen die Anzeichen nicht aus.`,
      })[marked],
    too_small: 'Das Bild oder seine kürzere Seite hat zu wenige Pixel für eine Untersuchung.',
    too_compressed: 'Die Kompression hat die entscheidenden Spuren zerstört.',
    no_usable_trace:
      'Es sind keine Spuren messbar, weder von einer Kamera noch von einer KI; das Bild lässt sich daher nicht beurteilen.',
    not_a_photograph:
      'Das Programm hält es für eine Zeichnung, ein Bildschirmfoto oder einen Scan; es kann sich irren.',
    outside_training_domain: 'Es gleicht keinem der Bilder, mit denen das Verfahren geprüft wurde.',
    margin_within_uncertainty: 'Der Wert liegt zu nah an 50 % für eine Entscheidung.',
    evidence_below_threshold:
      'Die Anzeichen sind zu schwach, um Fotografie und KI-Bild zu unterscheiden.',
    unstable_under_resaving:
      'Nach erneutem Speichern oder Skalieren sprechen die Spuren für das Gegenteil.',
    declaration_contradicts_traces:
      'Laut Datei ist das Bild KI-erzeugt; die Spuren passen besser zu einer Fotografie.',
    single_weak_method:
      'Nur eine Methode deutet auf eine Veränderung hin, und auch sie nur schwach.',
  },
  where: (place, share) => `${place}, ${share} des Bildes`,
  next: {
    unstated:
      'Den forensischen Bericht (Umfang „forensicReporting“) oder die Originaldatei anfordern.',
    real: 'Prüfen, woher das Bild stammt und ob es zeigt, was behauptet wird.',
    fake: 'Klären, woher das Bild stammt; die Originaldatei anfordern.',
    changed: 'Das Original anfordern und die Markierungen damit abgleichen.',
    declared: 'Klären, wer die Datei erstellt und die Angabe hineingeschrieben hat.',
    vouched: 'Klären, wer das Bild erstellt hat und woraus.',
    broken: 'Die Datei in der signierten Fassung anfordern.',
    edits:
      'Klären, wer die in der Datei angegebenen Bearbeitungen vorgenommen hat und was genau geändert wurde.',
    signer: 'Klären, ob der Unterzeichner auf der C2PA-Liste vertrauenswürdiger Stellen steht.',
    synthid:
      'In Googles Gemini-App nach dem Wasserzeichen SynthID suchen lassen; das Bild geht damit an Google.',
    compare: 'Mit anderen Aufnahmen dieser Kamera vergleichen.',
    too_small: 'Das Bild in voller Größe beschaffen, keine Vorschau und keinen Ausschnitt.',
    too_compressed: 'Eine frühere Kopie beschaffen, nicht die aus dem Messenger.',
    no_usable_trace:
      'Die Originaldatei vom Gerät beschaffen, sonst die früheste verfügbare Fassung.',
    not_a_photograph:
      'Originaldatei oder Originaldokument anfordern; das Bild von Sachverständigen beurteilen lassen.',
    outside_training_domain: 'Mit anderen Bildern aus derselben Quelle vergleichen.',
    margin_within_uncertainty: 'Das Original oder eine seltener verarbeitete Kopie beschaffen.',
    evidence_below_threshold: 'Quelle und frühere Kopien suchen; die Originaldatei anfordern.',
    unstable_under_resaving: 'Eine Kopie beschaffen, die seltener gespeichert und skaliert wurde.',
    declaration_contradicts_traces: 'Klären, woher die Datei stammt; das Original anfordern.',
    manipulation_suspected:
      'Die zuerst gespeicherte Originaldatei anfordern und mit der vorliegenden vergleichen.',
    single_weak_method: 'Den markierten Bereich von Sachverständigen prüfen lassen.',
  },
  nextOf: {
    weak: 'Für sich allein zu schwach; die Originaldatei vom Aufnahmegerät anfordern.',
    other: 'Die Originaldatei vom Aufnahmegerät anfordern.',
    methods: {
      'trace-network':
        'Nachfragen, wer das Bild aufgenommen hat, und die Originaldatei vom Aufnahmegerät anfordern.',
      'photograph-likeness': 'Eine direkte Aufnahme des Motivs anfordern.',
      'content-credentials':
        'Den Absender fragen, wer die Datei mit welchem Programm erstellt hat.',
      'declared-origin': 'Den Absender fragen, warum die Datei einen KI-Generator nennt.',
      'named-software': 'Den Absender fragen, was mit dem genannten Programm gemacht wurde.',
      'file-consistency':
        'Die Originaldatei vom Aufnahmegerät anfordern: Die vorliegende wirft Fragen auf.',
      'compression-tables':
        'Die Originaldatei vom Aufnahmegerät anfordern: Die vorliegende hat ein Programm gespeichert.',
      'file-layout':
        'Nachfragen, wie die Datei entstanden ist, und die Originaldatei vom Aufnahmegerät anfordern.',
      'localisation-network':
        'Die Originaldatei und eine weitere Aufnahme dieser Stelle anfordern.',
      'double-quantisation': 'Die Originaldatei anfordern und die Stelle damit vergleichen.',
      'copy-move': 'Beide Stellen vergleichen und eine weitere Aufnahme davon anfordern.',
      'changed-words': 'Dieses Wort mit dem Originaldokument vergleichen.',
      thumbnail:
        'Das Vorschaubild in der Datei ansehen: Es kann das Bild vor einer Veränderung zeigen.',
    },
  },
  wrong: {
    some: (called, of) => `${called} von ${of}`,
    qualities: {
      usual: 'wie sie veröffentlicht wurden (ähnlichste Testbedingung)',
      low: 'die als JPEG 75 gespeichert wurden (ähnlichste Testbedingung)',
    },
    generated: (quality, called, open, passed) =>
      `In Tests mit Bildern, ${quality}, wurden ${called} KI-erzeugten Bildern erkannt; ${open} blieben offen, ${passed} galten als Fotografien.`,
    found: (called, size) =>
      `Von veränderten Bildern${size} wurden ${called} als verändert erkannt (Verdachtsfälle nicht mitgezählt).`,
    sizes: (from, below) =>
      from === null
        ? ` unter ${below} Megapixeln`
        : below === null
          ? ` ab ${from} Megapixeln`
          : ` von ${from} bis ${below} Megapixeln`,
    hints: 'Bloße Hinweise wie hier zählen weder als erkannt noch als Fehlalarm.',
    kinds: (told, of, falsely) =>
      `In einem zweiten Test mit ${of} von Menschen veränderten Bildern aller Größen wurde bei ${told} eine Veränderung gefunden oder vermutet; Fehlalarme, Verdachtsfälle mitgezählt: ${falsely} unveränderten Bildern.`,
    kind: (name, found, pictures) => `${found} von ${pictures} ${name}`,
    alarms: (told) => `Fehlalarme (Rate und Obergrenze ihres 95-%-Konfidenzintervalls): ${told}.`,
    alarmsToo: (told) => `Fehlalarme: ${told}.`,
    fake: (called, rate, high) => `${called} Fotografien als KI-erzeugt (${rate}, bis zu ${high})`,
    changed: (called, rate, high, isOfAllSizes) =>
      `${called} unveränderten Bildern${isOfAllSizes ? ' aller Größen' : ''} als verändert (${rate}, bis zu ${high})`,
    suspected: (quality, rightly, falsely, rate, high) =>
      `In Tests mit Bildern aller Größen, ${quality}, wurden ${rightly} von Menschen veränderten Bildern als verändert oder verdächtig eingestuft. Fehlalarme (Rate und Obergrenze ihres 95-%-Konfidenzintervalls): ${falsely} unveränderten Bildern (${rate}, bis zu ${high}).`,
    declared: 'Wie oft solche Angaben falsch sind, wurde nicht gemessen.',
    byTraces: 'Für die Spuren allein:',
    vouched: 'Nicht gemessen; so verlässlich wie der Unterzeichner selbst.',
    unmeasured: 'Für dieses Modell nicht gemessen; das Ergebnis allein genügt nicht.',
    brief: {
      real: (generated, changed) =>
        `${generated} KI-erzeugten und ${changed} veränderten Bildern erkannt.`,
      fake: (called) => `${called} Fotografien für KI-erzeugt gehalten.`,
      changed: (called) => `${called} unveränderten Bildern für verändert gehalten.`,
      suspected: (called) =>
        `${called} unveränderten Bildern zu Unrecht als verdächtig eingestuft.`,
    },
  },
};

export const verdict: typeof english.verdict = {
  reasons: {
    too_small: 'Das Bild oder seine kürzere Seite hat weniger Pixel, als das Verfahren braucht.',
    too_compressed:
      'Die verlustbehaftete Kompression hat die feinen Spuren beseitigt, an denen sich eine Kameraaufnahme von einem KI-erzeugten oder veränderten Bild unterscheiden lässt.',
    no_usable_trace:
      'Spuren einer Kamera, eines KI-Generators oder einer Veränderung sind nicht in messbarer Stärke erhalten; auch eine vorhandene Veränderung wäre nicht zu erkennen. Häufige Ursachen sind Verkleinern, Weichzeichnen, mehrfaches Speichern und wenige Farben.',
    not_a_photograph:
      'Das Programm hält das Bild nicht für eine Fotografie. Das Verfahren wurde nur an Fotografien und an KI-erzeugten Bildern geprüft, die wie Fotografien aussehen; bei allem anderen besagen seine Werte nichts.',
    outside_training_domain:
      'Das Bild gleicht keinem der Bilder, mit denen das Verfahren trainiert wurde. Seine Werte sind hier nicht verlässlich.',
    margin_within_uncertainty:
      'Gemessen an der Streuung wiederholter Durchläufe des Modells liegt das Ergebnis zu nah an der Grenze zwischen den beiden Klassen; der Zufall könnte den Ausschlag geben.',
    evidence_below_threshold:
      'Der Likelihood-Quotient zwischen Fotografie und KI-erzeugtem Bild ist für eine Entscheidung zu niedrig.',
    unstable_under_resaving:
      'Nach Änderungen, wie sie weitergegebene Bilder oft erfahren (erneutes Speichern, Skalieren, Beschneiden), sprechen die Werte für das Gegenteil. Ein Ergebnis, das sich dadurch umkehrt, ist nicht belastbar.',
    declaration_contradicts_traces:
      'Laut Datei ist das Bild KI-erzeugt, doch die Spuren passen besser zu einer Fotografie. Solange kein vertrauenswürdiger Unterzeichner für die Angabe bürgt, bleibt dieser Widerspruch offen. Jeder kann eine solche Angabe in eine Datei schreiben, und das Verfahren hält manches KI-erzeugte Bild für eine Fotografie.',
    manipulation_suspected:
      'Die Befunde der Methoden, die nach veränderten Stellen suchen, begründen den Verdacht einer Veränderung, reichen aber nicht aus, um das Bild als verändert einzustufen. Als unauffällig gilt es aber auch nicht.',
    single_weak_method:
      'Von den Methoden, die nach veränderten Stellen suchen, spricht nur eine für eine Veränderung, und auch sie nur schwach; es kann ein Fehlalarm sein.',
  },
  needed: (real, fake) =>
    `Bei dieser Bildgröße entscheidet das Verfahren erst ab einem Quotienten von ${real} für eine Fotografie oder ab ${fake} für ein KI-erzeugtes Bild.`,
  onlySuspected: {
    small:
      'In Bildern mit weniger als 65.536 Pixeln lässt sich eine Veränderung nicht belegen, sondern höchstens vermuten.',
    damaged:
      'Die Datei ist unvollständig oder beschädigt, und fehlende Teile können wie eine Veränderung wirken; in einer solchen Datei wird eine Veränderung höchstens vermutet.',
  },
  strategies: {
    pedantic: 'streng (pedantic: entscheidet am seltensten)',
    default: 'ausgewogen (default)',
    relaxed: 'großzügig (relaxed: entscheidet am häufigsten)',
  },
  conclusion: {
    real: 'Das Ergebnis spricht gegen ein KI-erzeugtes Bild. Endgültig geklärt ist damit nicht, ob KI das Bild erzeugt hat oder ein Teil verändert wurde. Auch eine unveränderte Fotografie kann mit falschen Angaben verbreitet werden oder einen Bildschirm oder Abzug zeigen.',
    fake: 'Das Ergebnis gibt Anlass zu Nachforschungen, rechtfertigt aber allein keine Entscheidung zulasten einer Person: Das Verfahren hält auch manche Fotografien für KI-erzeugt; wer dieses Bild erstellt hat und warum, bleibt offen.',
    changed:
      'Das Ergebnis gibt Anlass zu Nachforschungen, rechtfertigt aber allein keine Entscheidung zulasten einer Person: Es kann falsch sein, und auch nicht markierte Stellen können verändert sein; wer was verändert hat und warum, bleibt offen.',
    declared:
      'Das Ergebnis gibt Anlass zu Nachforschungen, rechtfertigt aber allein keine Entscheidung zulasten einer Person: Es ist nicht verlässlicher als die Angabe in der Datei; wer das Bild erstellt hat und warum, bleibt offen.',
    agreeing:
      'Das Ergebnis gibt Anlass zu Nachforschungen, rechtfertigt aber allein keine Entscheidung zulasten einer Person: Es beruht auf der Angabe in der Datei, und die Spuren sprechen ebenfalls dafür, doch beides kann täuschen; wer das Bild erstellt hat und warum, bleibt offen.',
    suspected:
      'Der Verdacht gibt Anlass, das Original anzufordern, genügt aber nicht als Grundlage einer Entscheidung. Auch nicht markierte Stellen können verändert sein.',
    uncertain: 'Die Befunde erlauben keine Entscheidung.',
    abstain:
      'Aus dem Ergebnis lässt sich nichts ableiten, weder für noch gegen die Echtheit des Bildes.',
    duty: [
      'Das Ergebnis ist ein Indiz unter mehreren und ersetzt nicht die Bewertung durch eine sachverständige Person.',
      'Das Ergebnis ist ein Indiz unter mehreren; die Bewertung bleibt der sachverständigen Person überlassen.',
    ],
  },
};

export const terminal: typeof english.terminal = {
  card: {
    more: 'PDF und Heatmaps: --tier forensicReporting --out ORDNER',
  },
  pdf: {
    part: (page, picture) =>
      picture === null ? `Seite ${page}` : `Seite ${page}, Bild ${picture}`,
  },
  summary: {
    pictures: (count) => `${count} ${count === 1 ? 'Bild' : 'Bilder'}`,
    kinds: {
      text: (count) => `${count} ${count === 1 ? 'Textdatei' : 'Textdateien'}`,
      html: (count) => `${count} ${count === 1 ? 'Webseite' : 'Webseiten'}`,
      video: (count) => `${count} ${count === 1 ? 'Video' : 'Videos'}`,
      ico: (count) => `${count} ${count === 1 ? 'Icon' : 'Icons'}`,
      zip: (count) =>
        `${count} ${count === 1 ? 'Archiv oder Office-Dokument' : 'Archive oder Office-Dokumente'}`,
      gzip: (count) => `${count} ${count === 1 ? 'gzip-Archiv' : 'gzip-Archive'}`,
      empty: (count) => `${count} leere ${count === 1 ? 'Datei' : 'Dateien'}`,
      unknown: (count) => `${count} ${count === 1 ? 'Datei' : 'Dateien'} unbekannter Art`,
    },
    leftOut: (names, more) =>
      `Ausgelassen: ${names}${more > 0 ? ` und ${more} weitere, alle in --csv und --jsonl` : ''}.`,
    skipped: {
      hidden: 'versteckt',
      own_results: 'Ergebnisse dieses Programms',
      special_file: 'Gerät, Pipe oder Socket',
      folder_seen_before: 'Ordner, der schon gelesen wurde',
      elsewhere: 'Link aus dem Ordner hinaus; geben Sie sein Ziel selbst an',
      small_pictures: (count) =>
        `${count} ${count === 1 ? 'Bild' : 'Bilder'} mit einer Kantenlänge unter 65 Pixeln`,
      repeated_pictures: (count) =>
        `${count} ${count === 1 ? 'Bild' : 'Bilder'}, schon einmal verwendet`,
      later_pages: (count) => `${count} Seiten nach den ersten 500`,
    },
    results: (dir) => `Ergebnisse in ${dir}, ein Ordner je Bild`,
    noneExamined: 'Es wurde kein Bild untersucht und nichts geschrieben.',
  },
};
