import type { glossary as english } from '../en/glossary.ts';

export const glossary: typeof english = {
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
