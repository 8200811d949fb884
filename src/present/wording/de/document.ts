import type * as english from '../en/document.ts';

export const labels: typeof english.labels = {
  origins: {
    place: (width, height, left, top) =>
      `${width} × ${height} mm, ${left} mm von links und ${top} mm von oben`,
  },
  thresholds: {
    fakeMin: 'Wahrscheinlichkeit, dass das Bild KI-erzeugt ist, ab der es als KI-erzeugt gilt',
    realMax: 'Wahrscheinlichkeit, dass das Bild KI-erzeugt ist, bis zu der es als Fotografie gilt',
    traceMin: 'Mindestmenge an Spuren gleich welcher Art (0 bis 2)',
    compressionMax: 'höchste zulässige Kompression',
    anomalyMax: 'höchster zulässiger Anomaliewert',
    minDeviations: 'Mindestabstand zu 0,5, in Standardabweichungen',
    leastDeviations: 'Mindestabstand zu 0,5, in Standardabweichungen',
    manipulatedMin:
      'Wahrscheinlichkeit einer veränderten Stelle, ab der das Bild als verändert gilt (1: nie, da zu klein oder beschädigt)',
    suspectedMin:
      'Wahrscheinlichkeit einer veränderten Stelle, ab der eine Veränderung vermutet wird',
  },
  soundRows: (percent) =>
    `die Datei ist unvollständig oder beschädigt: Nur die ersten ${percent} % der Zeilen sind unbeschädigt`,
  notes: {
    converted_from_cmyk: 'aus CMYK umgewandelt',
    converted_from_grey: 'aus Graustufen umgewandelt',
    reduced_from_16_bit: 'von 16 Bit je Kanal reduziert',
    transparency_flattened_on_white: 'Transparenz weiß hinterlegt',
    first_frame_of_animation: 'erstes Einzelbild einer Animation',
    rotated_by_exif: 'gemäß EXIF-Ausrichtung gedreht',
    extension_disagrees: 'Dateiendung passt nicht zum Inhalt',
    reduced_to_8_bit: 'auf 8 Bit je Kanal reduziert',
    first_page: 'erste von mehreren Seiten',
    main_picture: 'Hauptbild; die Datei enthält mehrere Bilder',
    jpeg_of_raw: 'das JPEG in voller Größe aus einer RAW-Datei',
    rotated_by_container: 'gedreht, wie die Datei es angibt',
    end_marker_missing: 'ohne Endmarke; alle Zeilen sind vorhanden',
    rows_missing: 'die Datei ist unvollständig oder beschädigt',
    stray_bytes: 'überzählige Bytes zwischen den Teilen des JPEG',
    scan_parameters: 'ungewöhnliche Scan-Parameter, wie manche Samsung-Firmware sie schreibt',
    jfif_version: 'unbekannte JFIF-Version',
    adobe_transform: 'unbekannte Farbtransformation im Adobe-Segment',
    checksum_wrong: 'falsche Prüfsumme bei unbeschädigten Bilddaten',
    chunk_ignored: 'ein PNG-Chunk mit falscher Prüfsumme',
  },
  heatmap: 'Zeigt, wo Methoden angeschlagen haben, nicht, dass etwas verändert wurde',
  outline: 'Als verändert markierte Stellen sind weiß umrandet und nummeriert.',
  strips: {
    leftToRight: (count) => `in ${count} Streifen, von links nach rechts`,
    topToBottom: (count) => `in ${count} Streifen, von oben nach unten`,
  },
  uploadReplaced: 'nach dem Start ersetzt; untersucht wurde die beim Start angelegte Kopie',
  presentNotShown: 'in der Datei vorhanden, hier nicht wiedergegeben',
  exactQuality: (quality) =>
    `${quality} (Quantisierungstabelle der Helligkeit stimmt genau überein)`,
  nearestQuality: (quality, distance) =>
    `etwa ${quality} (Quantisierungstabelle der Helligkeit; mittlere Abweichung ${distance} Stufen)`,
  bits: (bits, channels) => `${bits} Bit je Kanal, ${channels} Kanäle`,
  deviation:
    'Werte mit ihrer Standardabweichung über die Monte-Carlo-Durchläufe; in Klammern und als Linie über dem Balken der Bereich von zwei Standardabweichungen. Die Balken reichen von 0 bis 1; senkrechte Striche markieren die Schwelle, bis zu der ein Bild als Fotografie gilt, und die, ab der es als KI-erzeugt gilt.',
  findings: {
    columns: ['Methode und Befund', 'Stärke für sich allein', 'Wo'],
    none: 'keine Aussage',
    notStated: 'nicht angegeben',
    outside:
      'Das Bild liegt außerhalb des Bereichs, für den die Methoden validiert sind: Ihre Befunde sind festgehalten, aber ohne Angabe einer Stärke.',
    elsewhere: (section) =>
      `Die Angaben in der Datei stehen im Abschnitt „${section}“; hier sind sie nur aufgeführt, wenn sie für oder gegen ein KI-erzeugtes oder verändertes Bild sprechen.`,
    panels:
      'Die kleinen Bilder sind grau, wo eine Methode nichts anzeigt, und farbig bis hellgelb, wo sie eine Veränderung anzeigt. Bei Methoden ohne Aussage fehlen sie.',
  },
  escapes:
    'Zeichen, die sich nicht eindeutig wiedergeben lassen, sind durch ihre Unicode-Nummer ersetzt, etwa ⟨U+202E⟩, und Bytes, die kein UTF-8 sind, durch ihren Wert, etwa ⟨0xE4⟩; ⟨… 12 …⟩ steht für 12 ausgelassene Zeichen.',
};

export const document: typeof english.document = {
  seen: {
    beside:
      'Links das untersuchte Bild, rechts das andere; beide auf den gemeinsamen Ausschnitt zugeschnitten und gleich ausgerichtet.',
    alike: 'Alle Unterschiede lassen sich durch Speichern und Skalieren erklären.',
    framed: 'An den umrandeten Stellen unterscheiden sich die beiden Bilder.',
    gone: 'Das Original dieses Bildes ist nicht mehr gespeichert und kann hier nicht gezeigt werden.',
  },
  head: {
    scale:
      'Stufen: ab 2 schwach, ab 10 mäßig, ab 100 deutlich, ab 1.000 stark, ab 10.000 sehr stark.',
    alone: (adverb, numbers) =>
      `${adverb} (für sich allein${numbers.length === 0 ? '' : `, für Nr. ${numbers.join(' und ')}`})`,
    maybeMarked: 'Ob die markierte Stelle davon herrührt, ist nicht bekannt.',
    changedToo: 'Darüber, ob das Bild verändert wurde, sagt das nichts aus.',
    byOne: 'der Verdacht beruht auf einer einzigen Methode',
    byOneOfAll:
      'Eine einzelne Methode überschreitet ihre Schwelle; das genügt für einen Verdacht. Zusammen mit den übrigen, die keine Veränderung finden, sprechen die Befunde weder für noch gegen eine Veränderung.',
    byAll:
      'In der Zusammenschau bleiben die Methoden unter der Schwelle, ab der eine Veränderung als gefunden gilt.',
    withoutEntry: (traces) => `Abgesehen von dieser Angabe: ${traces}`,
    tracesOpen: 'Für sich allein ließen die Spuren die Frage offen.',
    noneWithoutEntry:
      'Abgesehen von dieser Angabe lässt sich nicht beurteilen, ob das Bild KI-erzeugt oder verändert ist.',
    noRegion: 'keiner; in der Zusammenschau aller Methoden ist kein Teil des Bildes markiert',
    outlined:
      'Die Rahmen zeigen ungefähr, wo die markierten Flächen liegen; jede ist kleiner als ihr Rahmen.',
    untestedOnDamage: 'Keine der Dateien in diesen Tests war beschädigt.',
    undamaged: 'Die vollständige, unbeschädigte Datei anfordern.',
    search: {
      real: 'Die Suche nach Veränderungen ergibt einen niedrigeren Wert als bei veränderten Bildern üblich, auch bei solchen mit übersehener Veränderung.',
      fake: 'Die Methoden, die nach Veränderungen suchen, ergeben zusammen einen Wert, der bei veränderten Bildern häufiger ist als bei unveränderten.',
    },
    together: 'ergibt sich nur aus allen Methoden zusammen, der Ort ist daher unsicher',
    further: 'mögliche weitere Stelle, von keiner Methode allein markiert',
    beyond: (things) =>
      `Ob das Bild KI-erzeugt oder ein Teil verändert ist, weil es sich nicht beurteilen lässt; nicht Teil dieser Untersuchung: ${things}`,
    unchecked: (things) => `${things}. Näheres: Anhang „Validierung und Fehlerraten“.`,
    nothingAgainst: 'Die Messungen ergaben nichts, was dagegen spricht.',
    cameraNamed: 'Die Datei nennt eine Kamera, was dennoch für eine Fotografie spricht.',
    damage: (rows) =>
      `${rows}. Fehlende Teile erscheinen grau oder schwarz und können wie eine Veränderung wirken.`,
    damageCaps:
      'Bei einer beschädigten Datei wird eine Veränderung höchstens vermutet, nie festgestellt.',
    misnamed: 'der Name hat eine andere Endung, was allein wenig bedeutet',
    traces: {
      real: 'Ein mit Fotografien und KI-erzeugten Bildern trainiertes neuronales Netz findet Spuren (feine Muster in den Pixeln) wie in einer Fotografie.',
      fake: 'Ein mit Fotografien und KI-erzeugten Bildern trainiertes neuronales Netz findet Spuren (feine Muster in den Pixeln) wie in einem KI-erzeugten Bild.',
    },
    otherwise: {
      real: 'Auch eine übersehene Veränderung, ein ungetesteter Generator oder ein abfotografierter Bildschirm könnte so aussehen.',
      fake: 'Das Bild könnte gezeichnet, gemalt oder gerendert sein, also weder aufgenommen noch KI-erzeugt. Auch in einer Fotografie können starke Rauschminderung, Porträteffekte, Retusche und Hochskalieren ähnliche Spuren hinterlassen.',
      changed:
        'Sich wiederholende Formen, gleichmäßige oder sehr helle Flächen, Beschriftung und kamerainterne Bearbeitung können wie eine Veränderung wirken.',
      declared:
        'Die Angabe kann falsch sein. Jemand kann sie in die Datei einer Zeichnung eingetragen haben, oder in die einer Fotografie, um diese unglaubwürdig zu machen.',
    },
    program: (program, models, time) => `${program} (${models}), automatisch; ${time}`,
    reviewer: (name) =>
      `${name} ist benannt; die Prüfung steht aus, bis der Abschnitt „Prüfung und Unterschrift“ unterschrieben ist`,
    noReviewer: 'niemand benannt; kein Mensch hat das Ergebnis bewertet',
  },
  question: {
    short:
      'Hat eine Kamera dieses Bild so aufgenommen, hat eine KI es erzeugt, oder wurde eine Stelle verändert?',
    put: 'Die Untersuchung stellt zwei Fragen: Wurde das Bild aufgenommen oder erzeugt, und wurde ein Teil davon verändert? Zu jeder werden zwei Hypothesen aufgestellt, die einander ausschließen; bewertet wird, um welchen Faktor der Befund unter der einen wahrscheinlicher ist als unter der anderen.',
    columns: ['Hypothese', 'Inhalt'],
    propositions: [
      ['Aufgenommen', 'Eine Kamera hat das Bild aufgenommen.'],
      ['Erzeugt', 'Ein Programm hat das Bild als Ganzes erzeugt.'],
      [
        'Unverändert',
        'Kein Teil des Bildes wurde verändert. Entwickeln im Gerät, Zuschneiden, Skalieren, Drehen, Komprimieren und erneutes Speichern gelten nicht als Veränderung.',
      ],
      [
        'An einer Stelle verändert',
        'Mindestens ein Teil des Bildes wurde eingefügt, kopiert, entfernt, übermalt oder erzeugt.',
      ],
    ],
    alternativesTitle: 'In Betracht gezogene andere Erklärungen',
    alternatives: [
      'Eine echte Fotografie kann einem KI-erzeugten Bild ähneln: Starke Rauschminderung und die Porträteffekte von Smartphones, Retusche, Hochskalieren und Scannen hinterlassen ähnliche Spuren.',
      'Ein KI-erzeugtes Bild kann einer Fotografie ähneln: Es kann von einem Bildschirm abfotografiert, mit künstlichem Rauschen versehen oder so oft gespeichert und skaliert worden sein, dass die Spuren seiner Erzeugung verloren gegangen sind; oder sein Generator gleicht keinem, mit dessen Bildern das Modell trainiert wurde.',
      'Das Bild kann auch eine Zeichnung, ein Gemälde, eine Computergrafik, ein Diagramm oder ein Bildschirmfoto sein, oder es ist für eine Beurteilung zu klein oder zu stark komprimiert. Erkennt das Programm das, trifft es keine Aussage; Gemälde und Computergrafiken können aber unerkannt bleiben und dann als Fotografie oder als KI-erzeugt gelten.',
      'Was in der Datei über ihre Herkunft steht, kann jeder geschrieben haben: in ein KI-erzeugtes Bild, damit es als Fotografie gilt, oder in eine Fotografie, damit sie als unecht gilt.',
    ],
    notAsked:
      'Nicht Teil der Fragestellung ist, was das Bild zeigt, wann, wo und von wem es aufgenommen wurde, ob seine Beschriftung zutrifft und wer es gegebenenfalls erzeugt oder verändert hat. Weitere Erkenntnisse zum Fall wurden nicht herangezogen; liegen welche vor, ist die Bewertung daran zu überprüfen.',
  },
  item: {
    metadataTitle: 'Angaben in den Metadaten',
    metadataNote:
      'Angaben in der Datei (Kamera, Zeit, Software) lassen sich beliebig ändern. MD5 dient nur der Identifizierung; die Unversehrtheit belegen SHA-256 und SHA-512.',
    noMetadata: 'keine Angabe zu Kamera, Aufnahmezeit oder Programm',
    absent: 'in der Datei nicht vorhanden',
  },
  custody: {
    intro:
      'Die vom Programm selbst aufgezeichneten Vorgänge mit dem SHA-256 der Eingangs- und Ausgangsdaten. Was zuvor mit der Datei geschah, ist dem Programm nicht bekannt.',
    none: 'Für diese Untersuchung wurde keine Beweismittelkette aufgezeichnet. Woher die Datei stammt und wer zuvor Zugriff auf sie hatte, ist dem Programm nicht bekannt.',
    redrawn:
      'Ein Beweispaket enthält neu erstellte Berichte, in denen auch die bis dahin hinzugekommenen Vorgänge stehen; ihre Prüfsummen stimmen daher nicht mit denen überein, die hier für frühere Fassungen stehen.',
    columns: ['Zeit', 'Vorgang', 'Ausgeführt von'],
  },
  integrity: {
    bundle:
      'Das Beweispaket zu diesem Bericht enthält ihn zusammen mit den Heatmaps, dem Ergebnis, allen Einstellungen und einer Signatur. Ein einziger Befehl prüft es, ohne Server, Netz oder Benutzerkonto, und nennt jede Datei, die verändert wurde, fehlt oder hinzugekommen ist:',
    reproduce:
      'Ein weiterer Befehl wiederholt die Untersuchung und vergleicht jeden Wert und jedes Pixel:',
    pdfOnlyTitle: 'Wenn nur diese PDF-Datei vorliegt',
    pdfOnly: [
      'Ein Dokument kann seine eigene Prüfsumme nicht enthalten. Berechnen Sie den SHA-256 der PDF-Datei (Linux: sha256sum DATEI; macOS: shasum -a 256 DATEI; Windows: certutil -hashfile DATEI SHA256) und vergleichen Sie ihn mit dem, der dafür in manifest.json im Beweispaket steht.',
      'Die untersuchte Datei ist durch ihren SHA-256 in der Fußzeile jeder Seite und vollständig unter „Untersuchungsgegenstand“ bezeichnet, jede Heatmap-Datei durch ihre Prüfsumme hier:',
    ],
  },
  metadata: {
    intro:
      'Alle Einträge, die das Programm gelesen hat, auf Wunsch der auftraggebenden Stelle wiedergegeben. Standortangaben sind ausgelassen.',
    empty: 'Die Datei enthält keine Metadaten.',
  },
  signature: {
    assessment:
      '☐  Ich stimme der Bewertung zu.   ☐  Ich stimme nicht oder nur teilweise zu; siehe Anmerkungen.',
    missing: (fields) =>
      `SWGDE und ENFSI verlangen in einem forensischen Bericht auch diese Angaben, die hier fehlen: ${fields}.`,
    fields: {
      caseNumber: 'Aktenzeichen',
      exhibit: 'Asservatennummer',
      client: 'auftraggebende Stelle, Auftragsdatum und Rechtsgrundlage',
      reviewer: 'sachverständige Person mit Qualifikation',
      laboratory: 'Labor',
      accreditation: 'Akkreditierung (ISO/IEC 17025)',
      secondExaminer: 'Prüfung durch eine zweite sachverständige Person',
      custody: 'Eingang des Untersuchungsgegenstands und Beweismittelkette bis dahin',
      disposition: 'Verbleib des Untersuchungsgegenstands',
    },
    lines: ['Anmerkungen', 'Name und Qualifikation', 'Ort und Datum', 'Unterschrift'],
  },
};

export const cases: typeof english.cases = {
  order: 'Zuerst stehen die Bilder, die man sich ansehen muss.',
  pictures: (count) => (count === 1 ? '1 Bild' : `${count} Bilder`),
  linked: 'mit Bildern außerhalb dieses Falls verknüpft',
  noPage:
    'Bei diesem Bild wurde nur das Ergebnis ermittelt (Umfang „flagging“), daher hat es hier keine eigene Seite.',
  pages:
    'Es folgt eine Seite zu jedem Bild. Den vollständigen Bericht enthält das Beweispaket des Bildes.',
};

export const glossary: typeof english.glossary = {
  terms: {
    AUC: 'Fläche unter der ROC-Kurve: wie gut ein Verfahren zwei Klassen trennt, von 0,5 (Zufall) bis 1.',
    Anomaliewert:
      'Anteil der Referenzbilder, die den Trainingsbildern des Modells näher liegen als dieses Bild.',
    'Kalibrierte Wahrscheinlichkeit':
      'Ein an Bildern bekannter Herkunft kalibrierter Wert: Von Bildern, die 0,8 erhalten, sind etwa 80 % KI-erzeugt, sofern insgesamt die Hälfte der Bilder KI-erzeugt ist.',
    'Zelle, Bildausschnitt':
      'Eine Zelle ist der kleinste Bereich, für den eine Heatmap einen Wert hat; ein Bildausschnitt ist ein Quadrat aus mehreren Zellen, das als Ganzes beurteilt wird.',
    'Content Credentials (C2PA)':
      'In der Datei selbst gespeicherte, signierte Angaben zu ihrer Herkunft und Bearbeitung.',
    'EXIF, IPTC, XMP':
      'Drei Arten von Metadaten in Bilddateien: von Geräten, von Agenturen und von Programmen.',
    'Gini-Koeffizient':
      'Wie ungleich Abweichungen über ein Bild verteilt sind: 0, wenn sie überall gleich sind, nahe 1, wenn sie sich auf wenige Stellen beschränken.',
    Heatmap:
      'Das Bild, farbig überlagert; die Farben zeigen, wo und wie stark die Methoden angeschlagen haben.',
    'Likelihood-Quotient':
      'Die Wahrscheinlichkeit des Befunds, wenn die eine Hypothese zutrifft, geteilt durch seine Wahrscheinlichkeit, wenn die andere zutrifft.',
    'Monte-Carlo-Durchläufe':
      'Wiederholte Beurteilungen, bei denen jedes Mal andere, zufällig gewählte Teile des Modells ausgelassen werden; ihre Streuung ist eine untere Grenze seiner Unsicherheit.',
    Quantisierungstabelle:
      '64 Schrittweiten, auf deren Vielfache die Werte in einer JPEG-Datei gerundet werden; sie unterscheiden sich je nach Kamera, Programm und Qualitätsstufe.',
    Startwert:
      'Eine Zahl, die alle zufälligen Schritte festlegt, sodass sich dieselbe Untersuchung wiederholen lässt.',
    'SHA-256, SHA-512, MD5':
      'Prüfsummen. Zwei Dateien mit gleichem SHA-256 oder SHA-512 sind gleich; zwei verschiedene mit gleichem MD5 lassen sich absichtlich herstellen.',
    Strategie:
      'Wie stark die Anzeichen für eine Entscheidung sein müssen: am stärksten bei pedantic, am schwächsten bei relaxed.',
    Spuren:
      'Statistische Regelmäßigkeiten in den Pixeln, die ein Sensor, ein Programm oder ein Generator hinterlässt.',
  },
};
