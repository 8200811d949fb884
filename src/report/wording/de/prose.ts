import { capitalised } from '../../printable.ts';
import type { Prose } from '../prose.ts';

export const proseDe: Prose = {
  parts: { facts: 'Tatsachen', evaluation: 'Bewertung', annex: 'Anhang' },
  head: {
    preparedBy: (program) =>
      `${program}, ein automatisches Verfahren; noch keine Bewertung durch eine sachverständige Person`,
    versions: 'Deutsch; die englische Fassung nennt dieselben Zahlen',
    reading: ({ facts, evaluation }) =>
      `Abschnitte mit dem Vermerk „${facts}“ geben wieder, was empfangen, gelesen und gemessen wurde. Abschnitte mit dem Vermerk „${evaluation}“ und einem Balken am Rand würdigen es. Alle Sätze stammen aus festen Vorlagen; der Startwert wählt unter gleichbedeutenden Formulierungen und ändert weder eine Zahl noch ein Ergebnis.`,
  },
  question: {
    put: 'Wurde das Bild von einer Kamera aufgenommen, ohne dass sein Inhalt erzeugt oder verändert wurde, oder wurde sein Inhalt erzeugt oder verändert? Die Untersuchung stellt zwei einander ausschließende Annahmen gegenüber und fragt, wie viel besser der Befund zur einen passt als zur anderen.',
    columns: ['Annahme', 'Inhalt'],
    propositions: {
      real: 'Das Bild wurde von einer Kamera aufgenommen. Es kann im Gerät entwickelt, zugeschnitten, skaliert, gedreht, komprimiert oder erneut gespeichert worden sein, doch nichts darin wurde erzeugt oder verändert.',
      fake: 'Der Inhalt des Bildes wurde ganz oder teilweise von einem Programm erzeugt oder nach der Aufnahme verändert.',
    },
    alternativesTitle: 'In Betracht gezogene andere Erklärungen',
    alternatives: [
      'Eine echte Fotografie kann einem erzeugten Bild ähneln: Starke Rauschminderung und Porträteffekte eines Telefons, Retusche, Vergrößern mit Software und Scannen hinterlassen ähnliche Spuren.',
      'Ein erzeugtes Bild kann einer Fotografie ähneln: Es kann von einem Bildschirm abfotografiert, mit künstlichem Rauschen versehen oder so oft gespeichert und skaliert worden sein, dass seine eigenen Spuren verloren gingen; oder sein Generator gleicht keinem, an dem das Modell gelernt hat.',
      'Das Bild kann keines von beiden sein, sondern eine Zeichnung, ein Diagramm oder ein Bildschirmfoto; oder es ist zu klein oder zu stark komprimiert, um es zu beurteilen. Dann trifft das Programm keine Aussage.',
      'Was die Datei über ihre Herkunft sagt, kann jeder geschrieben haben: in ein erzeugtes Bild, damit es als Fotografie gilt, oder in eine Fotografie, um sie in Verruf zu bringen.',
    ],
    notAsked:
      'Nicht Teil der Fragestellung ist, was das Bild zeigt, wann, wo und von wem es aufgenommen wurde, ob seine Beschriftung zutrifft und wer es gegebenenfalls erzeugt oder verändert hat.',
  },
  item: {
    metadataTitle: 'Angaben der Metadaten',
    metadataNote:
      'Angaben in der Datei (Kamera, Zeit, Software) lassen sich beliebig ändern. MD5 dient nur der Identifizierung; die Unversehrtheit belegen SHA-256 und SHA-512.',
    noMetadata: 'weder Kamera noch Aufnahmezeit noch Programm sind genannt',
    absent: 'in der Datei nicht vorhanden',
  },
  custody: {
    intro:
      'Die Vorgänge, die das Programm selbst aufgezeichnet hat, mit dem SHA-256 dessen, was hinein- und herausging. Was zuvor mit der Datei geschah, ist dem Programm nicht bekannt.',
    none: 'Für diese Untersuchung wurde keine Beweismittelkette aufgezeichnet. Woher die Datei stammt und in wessen Händen sie zuvor war, ist dem Programm nicht bekannt.',
    redrawn:
      'Ein Beweispaket enthält neu erstellte Berichte, die alles bis dahin Geschehene nennen; ihre Prüfsummen sind nicht die, die hier für frühere Fassungen festgehalten sind.',
    columns: ['Zeit (UTC, ISO 8601)', 'Vorgang', 'Durch'],
    events: {
      created: 'Analyse angelegt',
      received: 'Datei empfangen',
      replaced_upload_noticed: 'Ersetzen der hochgeladenen Datei bemerkt',
      examined: 'Datei untersucht',
      rendered: 'Heatmaps und Berichte erstellt',
      failed: 'Durchlauf fehlgeschlagen',
      retried: 'Durchlauf wiederholt',
      upgraded: 'Forensische Stufe freigeschaltet',
      bundled: 'Beweispaket erstellt',
      deleted: 'Analyse gelöscht',
    },
    actors: {
      user: 'Benutzer',
      'api key': 'API-Schlüssel',
      service: 'Dienst',
      operator: 'Betreiber des Programms',
    },
    hashes: {
      original: 'Original',
      upload: 'hochgeladene Datei',
      manifest: 'Manifest des Beweispakets',
      examination: 'Untersuchung',
    },
  },
  provenance: {
    intro:
      'Das Folgende steht in der Datei. Jeder kann es hineinschreiben, sofern nicht eine geprüfte Signatur etwas anderes besagt: eine Kamera in ein erzeugtes Bild ebenso wie einen Generator in eine echte Fotografie. Mit einer gefälschten Angabe ist daher stets zu rechnen. Aus dem, was fehlt, folgt nichts.',
    declarationsTitle: 'Angegebene Herkunft',
    noDeclaration: 'Die Datei macht keine Angabe darüber, wie ihr Inhalt entstanden ist.',
    columns: ['Angabe', 'Ort', 'Wortlaut in der Datei', 'Wer dafür einsteht'],
    origins: {
      'ai-generated': 'von KI erzeugt',
      'ai-manipulated': 'mit von KI erzeugten Teilen zusammengesetzt',
      captured: 'von einem Gerät aufgenommen',
    },
    places: { c2pa: 'C2PA', xmp: 'XMP', iptc: 'IPTC', exif: 'EXIF', 'png-text': 'PNG-Text' },
    assurances: {
      unsigned: 'niemand',
      signed: 'signiert, doch niemand bürgt für den Unterzeichner',
      trusted: 'Unterzeichner auf der Vertrauensliste',
    },
    credentialsTitle: 'Content Credentials (C2PA)',
    noCredentials: 'Die Datei enthält keine Content Credentials (signierte Herkunftsnachweise).',
    integrity: {
      valid: 'unversehrt: Signatur und Prüfsummen passen zu den Bytes dieser Datei',
      broken: 'verletzt: Datei oder Content Credentials wurden nach dem Signieren verändert',
      unreadable: 'nicht feststellbar: Sie sind nicht lesbar',
    },
    trust: {
      trusted: 'der Unterzeichner steht auf der Vertrauensliste',
      untrusted: 'der Unterzeichner steht nicht auf der Vertrauensliste',
      'not-checked': 'nicht geprüft: Es wurde keine Vertrauensliste angegeben',
    },
    timestamp: { present: 'vorhanden und gültig', absent: 'keiner' },
    credentialsNote:
      'Unversehrtheit und Vertrauen sind zwei Tatsachen: Signieren kann jeder, aber nicht im Namen eines anderen.',
    fileTitle: 'Software und Aufbau der Datei',
    software: {
      generator: 'Bildgenerator',
      editor: 'Bildbearbeitung',
      camera: 'Kamera',
      platform: 'Plattform',
      unknown: 'Programm unbekannter Art',
    },
    libjpeg: (quality) => `Standardtabellen, wie libjpeg sie bei Qualität ${quality} schreibt`,
    knownSoftware: (name) => `Tabellen, wie ${name} sie schreibt`,
    customTables: 'Tabellen keines uns bekannten Programms',
    beginsLike: (kind) => `Anfang wie ${kind}`,
    inconsistenciesTitle: 'Unstimmigkeiten',
    inconsistenciesNote:
      'Keine davon belegt eine Veränderung; jede ist eine Frage, die zu stellen ist.',
    noInconsistencies: 'Keiner der Widersprüche, nach denen gesucht wurde, liegt vor.',
  },
  results: {
    outside:
      'Nach seinen Spuren liegt das Bild außerhalb des Bereichs, für den das Verfahren validiert ist. Die Werte sind festgehalten, damit sich die Untersuchung wiederholen lässt; über das Bild sagen sie nichts aus.',
    stabilityTitle: 'Stabilität',
    stabilityColumns: [
      'Nach dieser Änderung',
      'Wahrscheinlichkeit: erzeugt oder verändert',
      'Deutlich auf der anderen Seite',
    ],
    stabilityMissing:
      'Die Stabilität wurde bei dieser Untersuchung nicht geprüft; geprüft wird sie, wenn die Spuren des ganzen Bildes zu einer Entscheidung führen.',
    flips: { yes: 'ja', no: 'nein' },
  },
  method: {
    steps: ({ model, cell, patches, passes }) =>
      `Die Datei wurde einmal decodiert, und zwar zu RGB mit 8 Bit je Kanal. Das trainierte Netz ${model} suchte nach Spuren von Kameras und von Generatoren, welche die Heatmaps in Zellen von ${cell} Bildpunkten zeigen; die Werte des Bildes stammen aus seinen strukturreichsten Ausschnitten (hier ${patches}), denn gleichförmige Flächen tragen kaum Spuren. Jeder Ausschnitt wurde in ${passes} Durchläufen beurteilt, in denen jeweils ein zufälliger Teil der Merkmale wegblieb (Monte-Carlo-Dropout); die Streuung der Durchläufe ist die angegebene Unsicherheit. Die Strategie bestimmt, ob entschieden wird, nie wie.`,
    secondArm:
      'Ein zweiter Teil des Modells beurteilte statistische Kennwerte derselben Ausschnitte und, wenn das Bild groß genug ist, des auf die Hälfte verkleinerten Bildes; beide Teile werden zusammengezählt.',
    changes: (model) =>
      `Ein zweites Netz, ${model}, suchte nach Teilen, die anders verarbeitet wurden als der Rest des Bildes; seine Befunde wurden mit Verfahren zusammengeführt, die ohne Training auskommen und die einzeln mit ihrem Befund aufgeführt sind.`,
    locator: 'Lokalisierungsmodell',
    conversions: 'Umwandlungen beim Einlesen',
    noConversions: 'keine; untersucht wurden die Bildpunkte, wie sie decodiert wurden',
    retriesUnknown: 'nicht aufgezeichnet',
  },
  methodMaps: {
    title: 'Worauf einzelne Methoden zeigen',
    intro:
      'Jedes Bild gibt wieder, worauf eine einzelne Methode zeigt, in den Farben der Skala oben: 0,5 sagt nichts über eine Stelle, mehr spricht dort für eine Veränderung, weniger dagegen. Eine Methode kann auf eine Stelle zeigen und doch für keine der beiden Seiten sprechen, denn das tut sie auch in unveränderten Bildern. Jede dieser Methoden kann sich irren; was sie zusammen ergeben, zeigt die Heatmap „fake“.',
    neutral: 'spricht für keine der beiden Seiten',
    shownOnly: 'nur gezeigt, für das Ergebnis nicht verwendet',
  },
  validation: {
    intro: ({ strategy, real, fake }) =>
      `Gemessen mit diesem Modell und der Strategie ${strategy} an ${real} Fotografien und ${fake} erzeugten Bildern aus Quellen, die bei seiner Entwicklung nicht verwendet wurden. Die AUC ist der Anteil der Paare aus einer Fotografie und einem erzeugten Bild, die das Modell richtig ordnet (0,5 entspricht dem Zufall). In Klammern stehen zweiseitige 95-%-Intervalle, bei der AUC über die Quellen, bei den Raten über die Bilder (Clopper und Pearson). Bilder einer Quelle ähneln einander, die Raten sind daher in Wahrheit unsicherer.`,
    sides: ({ least, greatest }) =>
      `Die längeren Seiten dieser Bilder hatten ${least} bis ${greatest} Bildpunkte; größere und kleinere Bilder wurden nicht gemessen.`,
    none: 'Für dieses Modell wurden keine Fehlerraten gemessen. Auf sein Ergebnis allein darf man sich nicht stützen.',
    columns: [
      'Bedingung',
      'AUC',
      'Entschieden',
      'Fotografien als „fake“ eingestuft',
      'Erzeugte als „real“ eingestuft',
    ],
    worst: {
      real: ({ condition, rate, high }) =>
        `Ungünstigster Fall für eine Fotografie: „${condition}“; ${rate} der Fotografien wurden als „fake“ eingestuft, zu rechnen ist mit bis zu ${high}.`,
      fake: ({ condition, rate, high }) =>
        `Ungünstigster Fall für ein erzeugtes Bild: „${condition}“; ${rate} der erzeugten Bilder wurden als „real“ eingestuft, zu rechnen ist mit bis zu ${high}.`,
    },
    meaning:
      'Eine Rate besagt, wie oft Bilder einer Klasse in dieser Auswahl falsch beurteilt wurden. Sie ist nicht die Wahrscheinlichkeit, dass das vorliegende Ergebnis falsch ist: Diese hängt auch davon ab, wie häufig erzeugte Bilder unter den untersuchten sind.',
    changes: {
      title: 'Veränderte Teile',
      intro: ({ strategy, changed, photographs }) =>
        `Wie oft mit der Strategie ${strategy} das Ergebnis war, dass ein Teil verändert wurde: an ${changed} von Menschen veränderten Bildern öffentlicher Sammlungen und an ${photographs} unveränderten Fotografien. Keines dieser Bilder diente dazu, das Verfahren anzupassen. In Klammern stehen zweiseitige 95-%-Intervalle über die Bilder (Clopper und Pearson).`,
      columns: [
        'Bedingung',
        'Veränderte als „manipulated“ eingestuft',
        'Fotografien als „manipulated“ eingestuft',
      ],
      meaning:
        'Veränderungen werden oft übersehen, besonders wenn ein Bild danach erneut gespeichert oder skaliert wurde: Dass keine gefunden wurde, zeigt nicht, dass es keine gibt.',
    },
    ownTitle: (id) => `Eigene Validierung ${id}`,
    own: ({ real, fake, time, model, strategy }) =>
      `Vom Betreiber dieses Programms an ${real} eigenen Fotografien und ${fake} eigenen erzeugten Bildern gemessen, ${time}, mit dem Modell ${model} und der Strategie ${strategy}. In die Stärke, die dieser Bericht angibt, geht sie nicht ein.`,
    ownOtherModel:
      'Sie wurde mit einem anderen Modell als diese Untersuchung durchgeführt und gilt für diese nicht.',
    neverTestedTitle: 'Nie geprüft',
    neverTested: [
      'Veränderte Teile in Bildern von mehr als etwa 2 Megapixeln: Die Sammlungen von Bildern mit bekannten Veränderungen enthalten keine.',
      'Fotografien von Bildschirmen und Abzügen, Scans, starke Retusche und Vergrößern mit Software.',
      'Absichtliche Versuche, das Verfahren zu täuschen.',
      'Generatoren, Kameras und Programme, die in der Modellkarte nicht genannt sind.',
    ],
  },
  evaluation: {
    comparisonTitle: 'Vergleich der Annahmen',
    findingsTitle: 'Befunde, der stärkste zuerst',
    sides: {
      real: (strength) => `spricht ${strength} für „real“`,
      fake: (strength) => `spricht ${strength} für „fake“`,
    },
    neutralTitle: 'Befunde, die für keine der beiden Seiten sprechen',
    noneSpeaks: 'Kein Befund spricht für eine der beiden Seiten.',
    scaleTitle: 'Skala der Stärke',
    scaleColumns: ['Wort', 'Likelihood-Verhältnis', 'Bedeutung'],
    scaleRanges: {
      below: (to) => `unter ${to}`,
      between: (from, to) => `${from} bis unter ${to}`,
      from: (from) => `${from} und mehr`,
    },
    scaleMeaning: (strength) => `Der Befund spricht ${strength} für die eine Annahme.`,
    scaleNone: 'Der Befund spricht für keine der Annahmen in nennenswertem Maß.',
    scaleNote:
      'Das Likelihood-Verhältnis gibt an, wievielmal besser der Befund zur einen Annahme passt als zur anderen. Stufen nach dem ENFSI-Leitfaden von 2015; dessen zwei höchste sind hier eine. Kein Wort ist stärker, als die Validierung es stützt. Für eine Angabe in der Datei gibt es kein Likelihood-Verhältnis; ihr Wort richtet sich danach, wer für sie einsteht.',
    integrityTitle: 'Unversehrtheit und Echtheit',
    integrity:
      'Unversehrtheit: Die Prüfsummen des Untersuchungsgegenstands zeigen, welche Bytes untersucht wurden. Sie zeigen nicht, dass diese Bytes die des Originals sind.',
    credentials: {
      valid:
        'Die Content Credentials zeigen, dass die Datei seit dem Signieren nicht verändert wurde.',
      broken:
        'Die Content Credentials zeigen, dass die Datei nach dem Signieren verändert wurde. Das belegt keine Täuschung: Schon Speichern oder Skalieren genügt dafür.',
      unreadable: 'Die Content Credentials sind nicht lesbar und zeigen nichts.',
    },
    authenticity:
      'Die Echtheit, also ob das Bild ist, wofür es ausgegeben wird, ist eine andere Frage. Eine Datei kann unversehrt und ihr Inhalt dennoch erzeugt sein; und eine echte Fotografie bleibt echt, auch wenn sie erneut gespeichert wird.',
  },
  reasons: {
    helpTitle: 'Was weiterhelfen würde',
    decided:
      'Es wurde entschieden: Keiner der Gründe, aus denen das Programm keine Aussage trifft oder die Frage offenlässt, lag vor.',
    declared:
      'Entschieden wurde nach dem, was die Datei über sich selbst angibt, nicht nach den Spuren im Bild.',
    changed:
      'Entschieden wurde nach dem, was die Methoden ergeben, die nach veränderten Stellen suchen, nicht nach den Spuren des Bildes im Ganzen.',
    tracesAlone: (reasons) =>
      `Allein nach den Spuren wäre nichts entschieden worden: ${capitalised(reasons)}.`,
    helpDecided: [
      'Die Datei, wie das Gerät oder Programm sie zuerst gespeichert hat.',
      'Weitere Bilder desselben Geräts oder derselben Quelle zum Vergleich.',
      'Ein Nachweis darüber, auf welchem Weg die Datei zu demjenigen gelangt ist, der sie vorlegt.',
    ],
  },
  limits: {
    nature: {
      traced:
        'Das Ergebnis ist eine Schätzung anhand statistischer Spuren. Es ist kein Beweis und sagt nichts über den Bildinhalt, die Bildunterschrift oder die Umstände der Aufnahme aus.',
      changed:
        'Das Ergebnis ist eine Schätzung anhand der Spuren einer Veränderung in einem Teil des Bildes. Die oben genannten Fehlerraten betreffen die Unterscheidung von Fotografien und erzeugten Bildern und gelten dafür nicht; wie oft veränderte Teile gefunden und unveränderte Bilder für verändert gehalten werden, steht in der Modellkarte (CARD.md) des Lokalisierungsmodells. Es ist kein Beweis und sagt nichts über den Bildinhalt, die Bildunterschrift oder die Umstände der Aufnahme aus.',
      declared:
        'Das Ergebnis gibt wieder, was die Datei über sich selbst angibt. Es ist kein Beweis: Eine Angabe kann falsch sein, und eine unsignierte kann jeder schreiben. Über den Bildinhalt, die Bildunterschrift oder die Umstände der Aufnahme sagt es nichts aus.',
    },
    statements: [
      'Das Verfahren ist nur für Fotografien validiert, mit den oben genannten Fehlerraten. Bei anderen Kameras, Programmen und Generatoren können sie höher sein. Die Raten einzelner Generatoren und Quellen stehen in der Modellkarte (CARD.md) des oben durch seine Prüfsummen bezeichneten Modells.',
      'Eine auf einen kleinen Bildbereich beschränkte Veränderung kann unbemerkt bleiben. Umgekehrt kann eine starke Bildverarbeitung in Kamera oder Telefon den Spuren einer Erzeugung ähneln.',
      'Die angegebene Unsicherheit ist die Streuung wiederholter Durchläufe des Modells. Unterschiede zwischen Geräten, Programmen und Motiven, die das Modell nie gesehen hat, erfasst sie nicht.',
      'Die Wahrscheinlichkeit gilt, wenn vor der Untersuchung beide Annahmen gleich wahrscheinlich waren. Wer den Fall beurteilt, muss einbeziehen, was sonst über ihn bekannt ist.',
    ],
    notCheckedTitle: 'Nicht geprüft',
    notCheckedNone: 'Dem Programm ist nichts bekannt, was es ausgelassen hätte.',
    examinerTitle: 'Eine sachverständige Person ist erforderlich',
    examiner:
      'Dieser Bericht wurde von einem automatischen Verfahren erstellt. Er darf nicht die einzige Grundlage einer Entscheidung sein, die einen Menschen betrifft. Eine sachverständige Person muss das Bild, seine Herkunft und die übrigen Beweismittel würdigen und die Schlussfolgerung verantworten.',
  },
  integrity: {
    bundle:
      'Das Beweispaket zu diesem Bericht enthält ihn zusammen mit den Heatmaps, dem Ergebnis, allen Einstellungen und einer Signatur. Ein einziger Befehl prüft es, ohne Server, Netz oder Benutzerkonto, und nennt jede Datei, die verändert wurde, fehlt oder hinzugekommen ist:',
    reproduce:
      'Ein weiterer wiederholt die Untersuchung und vergleicht jeden Wert und jeden Bildpunkt:',
    pdfOnlyTitle: 'Wenn nur diese PDF-Datei vorliegt',
    pdfOnly: [
      'Ein Dokument kann seine eigene Prüfsumme nicht enthalten. Berechnen Sie den SHA-256 der PDF-Datei (Linux: sha256sum DATEI; macOS: shasum -a 256 DATEI; Windows: certutil -hashfile DATEI SHA256) und vergleichen Sie ihn mit dem, den das Beweispaket in manifest.json für sie nennt.',
      'Die untersuchte Datei ist durch ihren SHA-256 am Fuß jeder Seite und vollständig unter „Untersuchungsgegenstand“ bezeichnet, jede Heatmap durch die Prüfsumme darunter.',
    ],
  },
  settings: {
    intro:
      'Einstellungen, Schwellen und Werte, ungerundet und unter ihrem Namen in result.json, in allen Sprachen mit Dezimalpunkt. Das Übrige steht in result.json.',
  },
  metadata: {
    intro:
      'Alle Einträge, die das Programm gelesen hat, wiedergegeben auf Wunsch des Auftraggebers. Positionen sind ausgelassen.',
    empty: 'Die Datei enthält keine Metadaten.',
  },
  signature: {
    intro: 'Für die sachverständige Person, die diesen Bericht bewertet.',
    assessment: [
      '☐  Ich stimme der Bewertung zu.',
      '☐  Ich stimme nicht oder nur teilweise zu; siehe Anmerkungen.',
    ],
    notes: 'Anmerkungen',
    lines: ['Name und Qualifikation', 'Ort und Datum', 'Unterschrift'],
  },
};
