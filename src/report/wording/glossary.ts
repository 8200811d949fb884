/** Words of the report that a reader without training needs, in both languages side by side. */

import type { Bilingual } from '../../contract/vocabulary.ts';

interface Entry {
  readonly term: Bilingual;
  readonly meaning: Bilingual;
}

export const glossary: readonly Entry[] = [
  {
    term: { en: 'abstain', de: 'abstain' },
    meaning: {
      en: 'Result of a picture outside the range for which the method was validated; nothing is said about it.',
      de: 'Ergebnis für ein Bild außerhalb des Bereichs, für den das Verfahren validiert ist; über das Bild wird nichts ausgesagt.',
    },
  },
  {
    term: { en: 'uncertain', de: 'uncertain' },
    meaning: {
      en: 'Result of a picture inside that range for which the evidence does not suffice for a decision.',
      de: 'Ergebnis für ein Bild innerhalb dieses Bereichs, bei dem der Befund für eine Entscheidung nicht ausreicht.',
    },
  },
  {
    term: { en: 'AUC', de: 'AUC' },
    meaning: {
      en: 'Area under the ROC curve: how well a method tells two classes apart, from 0.5 (chance) to 1.',
      de: 'Fläche unter der ROC-Kurve: wie gut ein Verfahren zwei Klassen trennt, von 0,5 (Zufall) bis 1.',
    },
  },
  {
    term: { en: 'Anomaly score', de: 'Anomaliewert' },
    meaning: {
      en: 'Share of reference pictures that lie nearer to the pictures that the model has learned from.',
      de: 'Anteil der Referenzbilder, die näher an den Bildern liegen, an denen das Modell gelernt hat.',
    },
  },
  {
    term: { en: 'Calibrated probability', de: 'Kalibrierte Wahrscheinlichkeit' },
    meaning: {
      en: 'A score adjusted on labelled pictures so that, of pictures given 0.8, about 80 % are generated when as many are generated as are not.',
      de: 'Ein an Bildern bekannter Herkunft angepasster Wert: Von Bildern, die 0,8 erhalten, sind etwa 80 % erzeugt, wenn ebenso viele erzeugt sind wie nicht.',
    },
  },
  {
    term: { en: 'Cell, patch', de: 'Zelle, Bildausschnitt' },
    meaning: {
      en: 'A cell is the smallest area that a heatmap has a value for; a patch is a square of several cells that is judged as a whole.',
      de: 'Eine Zelle ist der kleinste Bereich, für den eine Heatmap einen Wert hat; ein Bildausschnitt ist ein Quadrat aus mehreren Zellen, das als Ganzes beurteilt wird.',
    },
  },
  {
    term: { en: 'Content Credentials (C2PA)', de: 'Content Credentials (C2PA)' },
    meaning: {
      en: 'Signed statements about the origin of a file and what was done to it, kept in the file itself.',
      de: 'Signierte Angaben zur Herkunft einer Datei und zu dem, was mit ihr geschah, in der Datei selbst.',
    },
  },
  {
    term: { en: 'Copy-move', de: 'Copy-Move' },
    meaning: {
      en: 'A part of a picture that was copied to another place of the same picture, to hide or to repeat something.',
      de: 'Ein Teil eines Bildes, der an eine andere Stelle desselben Bildes kopiert wurde, um etwas zu verdecken oder zu wiederholen.',
    },
  },
  {
    term: { en: 'EXIF, IPTC, XMP', de: 'EXIF, IPTC, XMP' },
    meaning: {
      en: 'Three kinds of metadata in picture files: of devices, of agencies, of programs.',
      de: 'Drei Arten von Metadaten in Bilddateien: der Geräte, der Agenturen und der Programme.',
    },
  },
  {
    term: { en: 'Gini coefficient', de: 'Gini-Koeffizient' },
    meaning: {
      en: 'How unequally deviations are spread over a picture: 0 when they are equal everywhere, near 1 when a few places hold all of them.',
      de: 'Wie ungleich Abweichungen über ein Bild verteilt sind: 0, wenn sie überall gleich sind, nahe 1, wenn wenige Stellen alle tragen.',
    },
  },
  {
    term: { en: 'Heatmap', de: 'Heatmap' },
    meaning: {
      en: 'The picture overlaid with colours that show where methods reacted, and how strongly.',
      de: 'Das Bild, überlagert mit Farben, die zeigen, wo und wie stark Methoden reagiert haben.',
    },
  },
  {
    term: { en: 'Inpainting', de: 'Inpainting' },
    meaning: {
      en: 'Filling a part of a picture with invented content, to remove something or to put something else there; by AI or by conventional programs. Both are called manipulated; ai-manipulated is what a file declares.',
      de: 'Füllen eines Bildteils mit erfundenem Inhalt, um etwas zu entfernen oder durch anderes zu ersetzen; durch KI oder durch herkömmliche Programme. Beides heißt manipulated; ai-manipulated ist, was eine Datei angibt.',
    },
  },
  {
    term: { en: 'JPEG grid', de: 'JPEG-Raster' },
    meaning: {
      en: 'JPEG files are compressed in blocks of 8 × 8 pixels; a part that was pasted in often keeps the borders of its own blocks.',
      de: 'JPEG-Dateien werden in Blöcken von 8 × 8 Bildpunkten komprimiert; ein eingefügter Teil behält oft die Grenzen seiner eigenen Blöcke.',
    },
  },
  {
    term: { en: 'Likelihood ratio', de: 'Likelihood-Verhältnis' },
    meaning: {
      en: 'The probability of the evidence if the one proposition is true, divided by its probability if the other is true.',
      de: 'Die Wahrscheinlichkeit des Befunds, wenn die eine Annahme zutrifft, geteilt durch seine Wahrscheinlichkeit, wenn die andere zutrifft.',
    },
  },
  {
    term: { en: 'Monte Carlo passes', de: 'Monte-Carlo-Durchläufe' },
    meaning: {
      en: 'Repeated judgements with changing random parts of the model left out; their scatter is a lower bound of its uncertainty.',
      de: 'Wiederholte Beurteilungen, bei denen wechselnde zufällige Teile des Modells wegbleiben; ihre Streuung ist eine untere Grenze seiner Unsicherheit.',
    },
  },
  {
    term: { en: 'Quantisation table', de: 'Quantisierungstabelle' },
    meaning: {
      en: 'The 64 step sizes by which a JPEG file is rounded; they differ between cameras, programs and quality settings.',
      de: 'Die 64 Stufen, mit denen eine JPEG-Datei rundet; sie unterscheiden sich zwischen Kameras, Programmen und Qualitätsstufen.',
    },
  },
  {
    term: { en: 'Seed', de: 'Startwert' },
    meaning: {
      en: 'A number that fixes every random choice, so that the same examination can be repeated.',
      de: 'Eine Zahl, die jede Zufallswahl festlegt, sodass sich dieselbe Untersuchung wiederholen lässt.',
    },
  },
  {
    term: { en: 'SHA-256, SHA-512, MD5', de: 'SHA-256, SHA-512, MD5' },
    meaning: {
      en: 'Checksums. Two files with the same SHA-256 or SHA-512 are the same; two different files with the same MD5 can be made on purpose.',
      de: 'Prüfsummen. Zwei Dateien mit gleichem SHA-256 oder SHA-512 sind gleich; zwei verschiedene mit gleichem MD5 lassen sich absichtlich herstellen.',
    },
  },
  {
    term: { en: 'Splice', de: 'Splice' },
    meaning: {
      en: 'A part of another picture that was pasted in.',
      de: 'Ein Teil eines anderen Bildes, der eingefügt wurde.',
    },
  },
  {
    term: { en: 'Strategy', de: 'Strategie' },
    meaning: {
      en: 'How much evidence is required before a decision is made: pedantic the most, relaxed the least.',
      de: 'Wie viel Befund verlangt wird, ehe entschieden wird: pedantic am meisten, relaxed am wenigsten.',
    },
  },
  {
    term: { en: 'Traces', de: 'Spuren' },
    meaning: {
      en: 'Statistical regularities in the pixels that a sensor, a program or a generator leaves behind.',
      de: 'Statistische Regelmäßigkeiten in den Bildpunkten, die ein Sensor, ein Programm oder ein Generator hinterlässt.',
    },
  },
];
