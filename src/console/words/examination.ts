/** The pages of one analysis, of a comparison and of a bundle. */

import { fill, say } from '../../present/text.ts';

export const examination = {
  analysis: {
    back: say('All analyses', 'Alle Analysen'),
    reasons: say('Why nothing was decided', 'Warum es keine Entscheidung gibt'),
    helps: say('What would help', 'Was helfen würde'),
    next: say('What to do next', 'Was jetzt zu tun ist'),
    further: say('What else would help', 'Was noch helfen würde'),
    why: say('What it is based on', 'Worauf das beruht'),
    certainty: say('How certain this is', 'Belastbarkeit'),
    more: say('More about this picture', 'Mehr zu diesem Bild'),
    tabs: {
      findings: say('Findings', 'Befunde'),
      origin: say('File and origin', 'Datei und Herkunft'),
      others: say(
        (count: number) => (count === 0 ? 'Other pictures' : `Other pictures (seen: ${count})`),
        (count) => (count === 0 ? 'Andere Bilder' : `Andere Bilder (schon vorgelegt: ${count})`),
      ),
      report: say('Report and files', 'Bericht und Dateien'),
      record: say('History', 'Protokoll'),
    },
    place: fill('Finding {number} in the picture', 'Befund {number} im Bild'),
    showPlace: fill('Show area {number} in the picture', 'Stelle {number} im Bild zeigen'),
    pictures: say('Picture and heatmaps', 'Bild und Heatmaps'),
    map: say('Heatmap', 'Heatmap'),
    noMap: say('No heatmap', 'Keine Heatmap'),
    opacity: say('Opacity', 'Deckkraft'),
    loupe: say('Loupe', 'Lupe'),
    zoomIn: say('Zoom in', 'Vergrößern'),
    zoomOut: say('Zoom out', 'Verkleinern'),
    fit: say('Fit', 'Einpassen'),
    viewerHelp: say(
      'The arrow keys pan, plus and minus zoom, 0 fits the picture to the window, and L opens a loupe that follows the pointer and the arrow keys. Dragging and scrolling work too.',
      'Pfeiltasten: Ausschnitt verschieben; Plus und Minus: vergrößern und verkleinern; 0: einpassen; L: Lupe, die dem Zeiger und den Pfeiltasten folgt. Auch Ziehen und Scrollen sind möglich.',
    ),
    preview: say(
      'The browser cannot display this file itself, so a small preview is shown. The report has the picture.',
      'Der Browser kann diese Datei selbst nicht anzeigen; zu sehen ist eine kleine Vorschau. Der Bericht enthält das Bild.',
    ),
    viewer: say('Picture with heatmap', 'Bild mit Heatmap'),
    findings: say('Findings, strongest first', 'Befunde, die stärksten zuerst'),
    noFindings: say(
      'No method found evidence for either side.',
      'Kein Befund spricht für die eine oder die andere Hypothese.',
    ),
    neutral: say(
      (count: number) => (count === 1 ? '1 neutral finding' : `${count} neutral findings`),
      (count) => (count === 1 ? '1 neutraler Befund' : `${count} neutrale Befunde`),
    ),
    skipped: say('Methods that did not apply', 'Nicht anwendbare Methoden'),
    sides: {
      fake: say(
        'supports generation or change',
        'spricht für ein KI-erzeugtes oder verändertes Bild',
      ),
      real: say('supports a photograph', 'spricht für ein Foto'),
      neither: say('neutral', 'neutral'),
    },
    source: say('Source', 'Quelle'),
    measures: say('Measures', 'Messwerte'),
    provenance: say('What the file says about itself', 'Angaben in der Datei'),
    noProvenance: say(
      'The file says nothing about its origin. That is common and proves nothing.',
      'In der Datei steht nichts zu ihrer Herkunft. Das ist häufig und beweist nichts.',
    ),
    history: say('Editing history', 'Bearbeitungsverlauf'),
    inconsistencies: say('Points to clarify', 'Zu klärende Punkte'),
    stability: say('Stability', 'Stabilität'),
    holds: say('holds', 'bleibt bestehen'),
    flips: say('flips', 'kehrt sich um'),
    notChecked: say('What was not checked', 'Was nicht geprüft wurde'),
    seenBefore: {
      title: say('Seen before', 'Schon vorgelegt'),
      intro: say(
        (count: number): string =>
          `${
            count === 0
              ? 'No other picture shows the same thing.'
              : 'These show the same picture or a part of it, or their files have something in common. Compare before you decide.'
          } Pictures examined by versions before 0.4, or while the comparison was switched off, are not searched.`,
        (count) =>
          `${
            count === 0
              ? 'Kein anderes Bild zeigt dasselbe.'
              : 'Diese Bilder zeigen dasselbe oder einen Teil davon, oder ihre Dateien haben etwas gemeinsam. Vergleichen Sie, bevor Sie entscheiden.'
          } Nicht berücksichtigt sind Bilder, die mit einer Version vor 0.4 oder bei ausgeschaltetem Vergleich untersucht wurden.`,
      ),
      before: say('Seen before:', 'Früher vorgelegt:'),
      after: say('Seen again:', 'Später erneut vorgelegt:'),
    },
    noCustody: say(
      'Nothing has been recorded for this analysis.',
      'Zu dieser Analyse wurde nichts aufgezeichnet.',
    ),
    hashes: say('Checksums', 'Prüfsummen'),
    pdf: {
      en: say('PDF report, English', 'PDF-Bericht, englisch'),
      de: say('PDF report, German', 'PDF-Bericht, deutsch'),
    },
    html: {
      en: say('HTML report, English', 'HTML-Bericht, englisch'),
      de: say('HTML report, German', 'HTML-Bericht, deutsch'),
    },
    bundle: say('Signed evidence bundle', 'Signiertes Beweispaket'),
    json: say('Everything as JSON', 'Alles als JSON'),
    original: say('Original picture', 'Originalbild'),
    heatmapFile: fill('Heatmap: {name}', 'Heatmap: {name}'),
    flaggedOnly: say(
      'This analysis has a result but no report.',
      'Diese Analyse enthält nur das Ergebnis.',
    ),
    flaggedHint: say(
      'Upgrade it to see heatmaps, findings and the report. It is billed as a full report; the picture is not examined again.',
      'Erweitern Sie die Analyse, um Heatmaps, Befunde und den Bericht zu sehen. Abgerechnet wird ein vollständiger Bericht; erneut untersucht wird das Bild nicht.',
    ),
    waiting: say('The picture is waiting to be examined.', 'Das Bild wartet auf die Untersuchung.'),
    running: say('The picture is being examined.', 'Das Bild wird untersucht.'),
    failed: say('The examination failed', 'Die Untersuchung ist fehlgeschlagen'),
    notStarted: say(
      'The upload of this picture was never finished. Delete the analysis and drop the picture again.',
      'Der Upload dieses Bildes wurde nicht abgeschlossen. Löschen Sie die Analyse, und laden Sie das Bild noch einmal hoch.',
    ),
    strength: say('Strength of the evidence', 'Stärke des Befunds'),
    changed: say('Changed parts', 'Veränderte Stellen'),
  },
  comparison: {
    title: say('Comparison', 'Vergleich'),
    compare: say('Compare', 'Vergleichen'),
    end: say('Back to the analysis', 'Zurück zur Analyse'),
    mode: say('Type of comparison', 'Art des Vergleichs'),
    modes: {
      side: say('Side by side', 'Nebeneinander'),
      difference: say('Difference', 'Unterschiede'),
      flicker: say('Flicker', 'Im Wechsel'),
    },
    hints: {
      side: say(
        'Both pan and zoom together. The loupe shows the same place in both.',
        'Ausschnitt und Vergrößerung gelten für beide Bilder. Die Lupe zeigt in beiden dieselbe Stelle.',
      ),
      difference: say(
        'Black where both agree, bright where they differ.',
        'Gleiches erscheint schwarz, Verschiedenes hell.',
      ),
      flicker: say(
        'Alternates between the two: whatever jumps is different.',
        'Beide erscheinen im Wechsel: Wo etwas springt, unterscheiden sie sich.',
      ),
    },
    notAligned: say(
      'They are not known to show the same thing, so one is centred on the other.',
      'Ob beide dasselbe zeigen, ist nicht bekannt; sie liegen daher mittig übereinander.',
    ),
    part: fill('Differing part {number}', 'Abweichende Stelle {number}'),
    notMarked: say(
      'The differing parts cannot be framed, because the browser could not read one of the pictures.',
      'Abweichende Stellen sind nicht umrandet, weil der Browser eines der Bilder nicht lesen konnte.',
    ),
  },
  review: {
    next: say('Next', 'Nächstes'),
    previous: say('Previous', 'Voriges'),
    help: say('Keys', 'Tasten'),
    place: fill('{at} of {of}', '{at} von {of}'),
    keys: say(
      [
        'Next picture in the list or case',
        'Previous picture',
        'Edit comment and other details',
        'Open the picture in the row',
        'This help',
        'In the picture: pan, or move the loupe',
        'In the picture: zoom in, zoom out, fit',
        'In the picture: loupe',
      ],
      [
        'Nächstes Bild der Liste oder des Falls',
        'Voriges Bild',
        'Kommentar und andere Angaben bearbeiten',
        'Bild der markierten Zeile öffnen',
        'Diese Hilfe',
        'Im Bild: Ausschnitt verschieben oder Lupe bewegen',
        'Im Bild: vergrößern, verkleinern, einpassen',
        'Im Bild: Lupe',
      ],
    ),
    on: say('Use these keys', 'Tastenkürzel verwenden'),
  },
  verify: {
    intro: say(
      'Drop a signed evidence bundle to see what it contains and whether every byte is as it was signed. Nothing is stored.',
      'Ziehen Sie ein signiertes Beweispaket hierher, um zu sehen, was es enthält und ob es seit dem Signieren Byte für Byte unverändert ist. Nichts davon wird gespeichert.',
    ),
    drop: say('Drop a bundle here', 'Paket hierher ziehen'),
    choose: say('Choose a file', 'Datei wählen'),
    checking: say('Checking…', 'Wird geprüft …'),
    holds: say('The bundle is intact', 'Das Paket ist unversehrt'),
    holdsOwn: say(
      'The bundle is intact, and this service signed it',
      'Das Paket ist unversehrt, und dieser Dienst hat es signiert',
    ),
    broken: say('The bundle is not intact', 'Das Paket ist nicht unversehrt'),
    unknownKey: say(
      'The signer is not known here. Compare the fingerprint with one you received through another channel.',
      'Der Unterzeichner ist hier unbekannt. Vergleichen Sie den Fingerabdruck mit einem, den Sie auf anderem Weg erhalten haben.',
    ),
    problems: say('Problems', 'Probleme'),
    /** By kind of problem, with the file's name for `{file}`; other problems keep the server's words. */
    problemKinds: say<Readonly<Record<string, string>>>(
      {},
      {
        changed: '{file} wurde verändert.',
        missing: '{file} fehlt.',
        added: '{file} steht nicht in der signierten Liste oder ist mehrfach enthalten.',
        signature:
          'Die Signatur passt nicht: Dateiliste, Signatur oder Schlüssel wurde nach dem Signieren verändert.',
        key: '{file} ist nicht der erwartete Schlüssel.',
        container:
          'Im Archiv wurden Bytes verändert oder hinzugefügt, die zu keiner Datei gehören.',
        contradiction: '{file} passt nicht zum übrigen Paket.',
      },
    ),
    signedAt: say('Signed', 'Signiert'),
    key: say('Fingerprint of the key', 'Fingerabdruck des Schlüssels'),
    examinedAt: say('Examined', 'Untersucht'),
    files: say('Files', 'Dateien'),
    product: say('Written by', 'Erstellt mit'),
  },
};
