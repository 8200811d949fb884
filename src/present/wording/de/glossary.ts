import type { glossary as english } from '../en/glossary.ts';

export const glossary: typeof english = {
  terms: {
    auc: {
      term: 'AUC',
      meaning:
        'Fläche unter der ROC-Kurve: wie gut ein Verfahren zwei Klassen trennt, von 0,5 (Zufall) bis 1.',
    },
    anomalyScore: {
      term: 'Anomaliewert',
      meaning:
        'Anteil der Referenzbilder, die näher an den Bildern liegen, an denen das Modell gelernt hat.',
    },
    calibratedProbability: {
      term: 'Kalibrierte Wahrscheinlichkeit',
      meaning:
        'Ein an Bildern bekannter Herkunft angepasster Wert: Von Bildern, die 0,8 erhalten, sind etwa 80 % erzeugt, wenn ebenso viele erzeugt sind wie nicht.',
    },
    cell: {
      term: 'Zelle, Bildausschnitt',
      meaning:
        'Eine Zelle ist der kleinste Bereich, für den eine Heatmap einen Wert hat; ein Bildausschnitt ist ein Quadrat aus mehreren Zellen, das als Ganzes beurteilt wird.',
    },
    contentCredentials: {
      term: 'Content Credentials (C2PA)',
      meaning:
        'Signierte Angaben zur Herkunft einer Datei und zu dem, was mit ihr geschah, in der Datei selbst.',
    },
    metadata: {
      term: 'EXIF, IPTC, XMP',
      meaning:
        'Drei Arten von Metadaten in Bilddateien: der Geräte, der Agenturen und der Programme.',
    },
    gini: {
      term: 'Gini-Koeffizient',
      meaning:
        'Wie ungleich Abweichungen über ein Bild verteilt sind: 0, wenn sie überall gleich sind, nahe 1, wenn wenige Stellen alle tragen.',
    },
    heatmap: {
      term: 'Heatmap',
      meaning:
        'Das Bild, überlagert mit Farben, die zeigen, wo und wie stark Methoden reagiert haben.',
    },
    likelihoodRatio: {
      term: 'Likelihood-Quotient',
      meaning:
        'Die Wahrscheinlichkeit des Befunds, wenn die eine Annahme zutrifft, geteilt durch seine Wahrscheinlichkeit, wenn die andere zutrifft.',
    },
    monteCarlo: {
      term: 'Monte-Carlo-Durchläufe',
      meaning:
        'Wiederholte Beurteilungen, bei denen wechselnde zufällige Teile des Modells wegbleiben; ihre Streuung ist eine untere Grenze seiner Unsicherheit.',
    },
    quantisationTable: {
      term: 'Quantisierungstabelle',
      meaning:
        'Die 64 Stufen, mit denen eine JPEG-Datei rundet; sie unterscheiden sich zwischen Kameras, Programmen und Qualitätsstufen.',
    },
    seed: {
      term: 'Startwert',
      meaning:
        'Eine Zahl, die jede Zufallswahl festlegt, sodass sich dieselbe Untersuchung wiederholen lässt.',
    },
    checksums: {
      term: 'SHA-256, SHA-512, MD5',
      meaning:
        'Prüfsummen. Zwei Dateien mit gleichem SHA-256 oder SHA-512 sind gleich; zwei verschiedene mit gleichem MD5 lassen sich absichtlich herstellen.',
    },
    strategy: {
      term: 'Strategie',
      meaning:
        'Wie stark die Anzeichen für eine Entscheidung sein müssen: am stärksten bei pedantic, am schwächsten bei relaxed.',
    },
    traces: {
      term: 'Spuren',
      meaning:
        'Statistische Regelmäßigkeiten in den Pixeln, die ein Sensor, ein Programm oder ein Generator hinterlässt.',
    },
  },
  uses: {
    propositions: 'Annahmen, Skala der Stärke',
    uncertainty: 'Unsicherheit',
    calibration: 'Kalibrierung',
    anomaly: 'Anomalie',
    errorRates: 'Intervalle der Fehlerraten',
    auc: 'Intervalle der AUC',
    jpeg: 'JPEG, Schätzung der Qualität',
    quantisationTables: 'Quantisierungstabellen',
    localisationNetwork: 'Lokalisierungsnetz',
    doubleQuantisation: 'Doppelte Quantisierung',
    copies: 'Kopierte Teile',
    thumbnail: 'Vorschaubild gegen Bild',
    png: 'PNG',
    exif: 'EXIF-Metadaten',
    xmp: 'XMP-Metadaten',
    declaredOrigin: 'Angegebene Herkunft',
    contentCredentials: 'Content Credentials',
    checksums: 'Prüfsummen',
    signature: 'Signatur des Beweispakets',
    colours: 'Farben der Heatmaps',
  },
};
