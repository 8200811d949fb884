/** What a report needs so that an examiner can defend it, point by point, as it must appear in the finished PDF. */

import type { Language } from '../../../src/contract/vocabulary.ts';
import { custodyHash, full } from './full-report.ts';

type Wanted = Readonly<Record<Language, readonly string[]>>;

/** The same in every language. */
function alike(...wanted: readonly string[]): Wanted {
  return { en: wanted, de: wanted };
}

export const points: readonly (readonly [point: string, wanted: readonly Wanted[]])[] = [
  [
    '1 identity of the report',
    [
      alike('6a0f2c9e1b7d4835aa01c2d3'),
      { en: ['2026-03-01 12:00:00 UTC'], de: ['01.03.2026, 12:00:00 UTC'] },
      {
        en: ['Report number', 'Program', 'Operator', 'Reviewer'],
        de: ['Berichtsnummer', 'Programm'],
      },
      {
        en: ['forensics 0.1.0 (trace 7, locate 2), without human judgement'],
        de: ['forensics 0.1.0 (trace 7, locate 2), automatisch'],
      },
    ],
  ],
  [
    '2 the item examined',
    [
      alike('Straßenszene.jpg', full.facts.sha256, full.facts.md5, 'Canon EOS R6', 'ISO 400'),
      alike(full.facts.sha512.slice(0, 64), full.facts.sha512.slice(64)),
      {
        en: ['1,234,567 bytes', '240 × 160 pixels', 'MD5 (identification only)'],
        de: ['1.234.567 Byte', '240 × 160 Pixel', 'MD5 (nur zur Identifizierung)'],
      },
      {
        en: ['Format, by content', 'YCbCr, 8 bits per sample, 3 channels'],
        de: ['Format (am Inhalt erkannt)', 'YCbCr, 8 Bit je Kanal, 3 Kanäle'],
      },
      { en: ['present in the file, not reproduced'], de: ['in der Datei vorhanden, hier nicht'] },
    ],
  ],
  [
    '3 the question put and the alternatives considered',
    [
      {
        en: [
          'was the picture recorded or generated, and was a part of it changed?',
          'Alternative explanations considered',
          'A genuine photograph can resemble a generated picture',
          'A generated picture can resemble a photograph',
        ],
        de: [
          'Wurde das Bild aufgenommen oder erzeugt, und wurde ein Teil davon verändert?',
          'In Betracht gezogene andere Erklärungen',
          'Eine echte Fotografie kann einem KI-erzeugten Bild ähneln',
          'Ein KI-erzeugtes Bild kann einer Fotografie ähneln',
        ],
      },
    ],
  ],
  [
    '4 the method',
    [
      alike('trace 7', 'b7'.repeat(32), 'Node.js 24.0.0', 'ONNX Runtime 1.30.0', 'sharp 0.35.5'),
      alike('libvips 8.18.7', 'A processor', '1337'),
      {
        en: ['decoded once, to 8-bit RGB', 'in 32 passes', 'Monte Carlo passes\n32'],
        de: ['mit 8 Bit je Kanal decodiert', 'in 32 Durchläufen', 'Monte-Carlo-Durchläufe\n32'],
      },
      {
        en: ['balanced (default)', '0.82 minimum probability of generation to be called'],
        de: [
          'ausgewogen (default)',
          '0,82 Wahrscheinlichkeit, dass das Bild KI-erzeugt ist, ab der',
        ],
      },
      { en: ['Retries after failures\n2'], de: ['Wiederholungen nach Fehlern\n2'] },
    ],
  ],
  [
    '5 the validation statement',
    [
      {
        en: ['1,221 photographs and 277 generated pictures', '0.762 (0.662 to 0.858)'],
        de: ['1.221 Fotografien und 277 KI-erzeugten Bildern', '0,762 (0,662 bis 0,858)'],
      },
      // Exact binomial intervals of 22 and 61 of 1,221 and of 33 of 277, from another implementation.
      {
        en: ['1.8% (1.1 to 2.7%)', '5.0% (3.8 to 6.4%)', '11.9% (8.3 to 16.3%)'],
        de: ['1,8 % (1,1 bis 2,7 %)', '5,0 % (3,8 bis 6,4 %)', '11,9 % (8,3 bis 16,3 %)'],
      },
      {
        en: [
          '256 to 1,448 pixels on the longer side; this one has 240. The strength',
          'does not affect the strength',
        ],
        de: [
          '256 bis 1.448 Pixeln an der längeren Seite geprüft; dieses Bild hat 240',
          'Diese Validierung geht nicht in',
        ],
      },
      { en: ['Never tested'], de: ['Nie geprüft'] },
      {
        en: ['Own validation 9f8e7d6c5b4a392817060504', 'on 40 photographs and 277 generated'],
        de: ['Eigene Validierung 9f8e7d6c5b4a392817060504', 'an 40 eigenen Fotografien'],
      },
    ],
  ],
  [
    '6 results with ranges',
    [
      {
        en: ['0.97 ± 0.02', '0.810 ± 0.034 (0.742 to 0.878)'],
        de: ['0,97 ± 0,02', '0,810 ± 0,034 (0,742 bis 0,878)'],
      },
      {
        en: ['saved as JPEG, quality 70\n0.91\non the same side'],
        de: ['als JPEG der Qualität 70 gespeichert\n0,91\nwie zuvor'],
      },
    ],
  ],
  [
    '7 the heatmaps beside the original',
    [
      {
        en: ['Shows where methods responded, not that anything was changed', 'Picture examined'],
        de: [
          'Zeigt, wo Methoden angeschlagen haben, nicht, dass etwas verändert wurde',
          'Untersuchtes Bild',
        ],
      },
      {
        en: ['Traces of a camera', 'Generation and change', 'Compression', 'Unusual areas'],
        de: ['Kameraspuren', 'KI-Spuren und Veränderungen', 'Kompression', 'Ungewöhnliche Stellen'],
      },
      { en: ['0\n0.25\n0.5\n0.75\n1'], de: ['0\n0,25\n0,5\n0,75\n1'] },
    ],
  ],
  [
    '8 the provenance',
    [
      alike('Example Camera', 'Example Authority', 'assertion.dataHash.mismatch', 'digitalCapture'),
      {
        en: [
          'Integrity\nbroken',
          'Trust\nthe signer is not on the trust list',
          'recorded by a device',
        ],
        de: [
          'Unversehrtheit\nverletzt',
          'Vertrauenswürdigkeit\nder Unterzeichner steht nicht auf der Vertrauensliste',
          'von einem Gerät aufgenommen',
        ],
      },
      {
        en: ['Any declaration may therefore be forged', 'quality 91', '4,711'],
        de: ['Mit falschen Angaben ist daher stets zu rechnen', 'Qualität 91', '4.711'],
      },
      {
        en: ['Example Editor (editing program, EXIF)', 'The thumbnail differs.'],
        de: ['Example Editor (Bildbearbeitung, EXIF)', 'Das Vorschaubild weicht ab.'],
      },
    ],
  ],
  [
    '9 evaluation by evidence, on a scale that the report defines, integrity apart from authenticity',
    [
      {
        en: ['weak support for a generated picture', 'Words by likelihood ratio'],
        de: ['schwach für ein KI-erzeugtes Bild', 'Stufen nach Likelihood-Quotient'],
      },
      {
        en: ['weak from 2', 'No word is stronger than the validation set supports'],
        de: ['schwach ab 2', 'Höher, als die Validierung es rechtfertigt'],
      },
      {
        en: ['Re-saving or scaling alone can cause this'],
        de: ['Schon erneutes Speichern oder Skalieren bewirkt das'],
      },
    ],
  ],
  [
    '11 limits, what was not checked, and that a human examiner is required',
    [
      {
        en: ['It is not proof', 'SynthID', 'A human examiner must assess the picture'],
        de: ['Es ist kein Beweis', 'SynthID', 'eine sachverständige Person prüfen'],
      },
    ],
  ],
  [
    '12 facts apart from opinion',
    [{ en: ['FACTS', 'EVALUATION'], de: ['TATSACHEN', 'BEWERTUNG'] }],
  ],
  [
    '13 the chain of custody',
    [
      alike(`: ${custodyHash}`),
      {
        en: [
          '2026-03-01 11:58:01 UTC',
          '2026-03-01 11:59:00 UTC',
          'Analysis created\nuser 6f1c',
          'File received\nservice',
          'custody until then',
        ],
        de: [
          '01.03.2026, 11:58:01 UTC',
          '01.03.2026, 11:59:00 UTC',
          'Analyse angelegt\nBenutzer 6f1c',
          'Datei empfangen\nDienst',
          'Beweismittelkette bis dahin',
        ],
      },
    ],
  ],
  [
    '14 how to verify the report',
    [
      alike('forensics verify BUNDLE', 'forensics reproduce BUNDLE', 'manifest.json'),
      { en: ['sha256sum FILE'], de: ['sha256sum DATEI'] },
    ],
  ],
  [
    '15 the annexes',
    [
      { en: ['Glossary', 'Likelihood ratio'], de: ['Glossar', 'Likelihood-Quotient'] },
      { en: ['References'], de: ['Quellen'] },
      alike('ENFSI Guideline for Evaluative Reporting', 'EXIF: FNumber\nf/4.0'),
      { en: ['Review', 'Place and date'], de: ['Prüfung und Unterschrift', 'Ort und Datum'] },
    ],
  ],
];
