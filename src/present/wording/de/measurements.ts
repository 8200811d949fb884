import type { measurements as english } from '../en/measurements.ts';

export const measurements: typeof english = {
  forensic: {
    item: ({ name, facts, sha256 }) =>
      `Untersuchungsgegenstand: „${name}“, ${facts}, SHA-256-Prüfsumme ${sha256}.`,
    method: ({ model, patches, passes }) =>
      `Mit dem Modell ${model} ausgewertete Bildausschnitte: ${patches}, jeder in ${passes} Monte-Carlo-Durchläufen.`,
    findings: 'Befunde, der stärkste zuerst:',
    skipped: (methods) => `Ohne Befund: ${methods}.`,
  },
  heatmap: {
    intro: {
      what: 'Die Heatmaps zeigen, an welchen Stellen des Bildes und wie stark die Methoden angeschlagen haben. Sie zeigen nicht, dass dort etwas verändert wurde.',
      scale:
        'Die Skala reicht von 0 (dunkelblau) über Magenta und Orange bis 1 (hellgelb) und ist für alle Bilder dieselbe.',
      cells: (cellPx) =>
        `Jeder Wert beschreibt eine Zelle von ${cellPx} × ${cellPx} Pixeln mitsamt ihrer Umgebung; zwischen den Zellen wird interpoliert.`,
      caution:
        'Ein einzelner heller Bereich ist für sich genommen kein Beweis: Auch Objektkanten, Spiegelungen, Schrift und gleichförmige Flächen können ihn verursachen.',
    },
    asStored:
      'In den Heatmap-Dateien liegt das Bild so, wie seine Pixel gespeichert sind; dieser Bericht zeigt es gemäß EXIF-Ausrichtung gedreht und beschreibt Stellen entsprechend.',
    map: {
      real: {
        meaning: 'Wie stark die einzelnen Bereiche denen echter Fotografien ähneln.',
        caution:
          'Ein niedriger Wert ist kein Hinweis auf eine Veränderung: Dunkle, überbelichtete oder sehr glatte Bereiche tragen nur wenige solcher Spuren.',
      },
      fake: {
        meaning:
          'Wie stark die einzelnen Bereiche denen KI-erzeugter oder veränderter Bilder ähneln.',
        caution: 'Der Umriss eines hellen Bereichs ist nicht der Umriss einer Veränderung.',
      },
      compression: {
        meaning:
          'Wie stark die einzelnen Bereiche komprimiert wurden, auch durch erneutes Speichern.',
        caution:
          'Kompression ist alltäglich und unverdächtig; je stärker sie ist, desto weniger können die übrigen Heatmaps zeigen.',
      },
      anomaly: {
        meaning:
          'Wie weit die einzelnen Bereiche von den Bildern abweichen, mit denen das Modell trainiert wurde.',
        caution: 'Ungewöhnlich heißt nicht verändert: Auch seltene Motive und Geräte weichen ab.',
      },
    },
    changes: {
      fake: 'Gezeigt wird an jeder Stelle der höhere von zwei Werten: wie stark die Spuren eines KI-Generators sind, gewichtet mit der Wahrscheinlichkeit, dass das ganze Bild KI-erzeugt ist, und wie stark die Methoden, die nach veränderten Stellen suchen, die Stelle markieren, gewichtet mit der Wahrscheinlichkeit einer Veränderung.',
      anomaly:
        'Der Wert steigt auch dort, wo sich eine Stelle nach den Methoden, die nach Veränderungen suchen, vom übrigen Bild abhebt: umso mehr, je wahrscheinlicher eine Veränderung ist.',
    },
    peak: ({ mean, highest, place, share }) =>
      `Mittelwert ${mean}; höchster Wert ${highest}, ${place}; ${share} der Fläche liegen über 0,5.`,
    even: (mean) =>
      `Mittelwert ${mean}; die Werte sind im ganzen Bild ähnlich, kein Bereich fällt auf.`,
  },
  results: {
    outside:
      'Nach seinen Spuren liegt das Bild außerhalb des Bereichs, für den das Verfahren validiert ist. Die Werte sind festgehalten, damit sich die Untersuchung wiederholen lässt; über das Bild sagen sie nichts aus.',
    stabilityTitle: 'Stabilität',
    stabilityColumns: [
      'Das Bild wurde',
      'Wahrscheinlichkeit, dass es KI-erzeugt ist',
      'Die Spuren sind dann',
    ],
    stabilityOther: (least) =>
      `Als umgekehrt gelten die Spuren, wenn die andere Hypothese eine Wahrscheinlichkeit von mindestens ${least} erhält. Dann wird nichts entschieden, auch nicht zugunsten der anderen Hypothese.`,
    stabilityMissing:
      'Die Stabilität wurde bei dieser Untersuchung nicht geprüft; geprüft wird sie, wenn die Spuren des ganzen Bildes zu einer Entscheidung führen.',
    suspectedLimit: (p, suspected) =>
      `${p}; ab ${suspected} gilt das Bild als verdächtig, nie als verändert (kleines oder beschädigtes Bild)`,
    changeLimits: (p, suspected, changed) =>
      `${p}; ab ${suspected} gilt das Bild als verdächtig, ab ${changed} als verändert`,
    limits: (p, low, high) =>
      `${p}; bis ${low} gilt das Bild als Fotografie, ab ${high} als KI-erzeugt`,
  },
  method: {
    steps: ({ model, cell, patches, passes }) =>
      `Die Datei wurde einmal in RGB mit 8 Bit je Kanal decodiert. Das trainierte Netz ${model} suchte nach Spuren von Kameras und von Generatoren; die Heatmaps zeigen sie in Zellen von ${cell} Pixeln. In jeden ihrer Werte geht die Umgebung der Zelle ein; zwischen den Zellen wird interpoliert. Die Werte des Bildes stammen aus seinen strukturreichsten Ausschnitten (hier ${patches}), denn gleichförmige Flächen tragen kaum Spuren. Sie wurden in ${passes} Durchläufen beurteilt, in denen jeweils ein zufälliger Teil der Merkmale wegfiel (Monte-Carlo-Dropout); die Streuung der Durchläufe ist die angegebene Unsicherheit. Die Strategie bestimmt, ob entschieden wird, aber nie, wie die Entscheidung ausfällt.`,
    views:
      'Das Modell hat außerdem das Bild als Ganzes beurteilt, verkleinert auf 384 Pixel an der längeren Seite. Bei mehr als 1,2 Megapixeln stammen Ausschnitte und Heatmaps aus einer auf 1,2 Megapixel verkleinerten Kopie; zusätzlich wurden dann acht Quadrate in Originalauflösung ausgewertet. Alles zusammen geht in die Werte ein.',
    transformer:
      'Ein Vision Transformer, Teil des Modells, beurteilte das ganze Bild, verkleinert auf 224 × 224 Pixel, und das strukturreichste Quadrat in Originalauflösung; seine Log-Odds werden zu denen der Ausschnitte addiert. Er unterscheidet außerdem Fotografien von Zeichnungen, Computergrafiken, Bildschirmfotos, Textseiten und Diagrammen.',
    changes: (model) =>
      `Ein zweites Netz, ${model}, suchte nach Teilen, die anders verarbeitet wurden als der Rest des Bildes; seine Befunde wurden mit denen von Methoden zusammengeführt, die ohne Training auskommen und einzeln aufgeführt sind.`,
    locator: 'Lokalisierungsmodell',
    conversions: 'Umwandlungen beim Einlesen',
    noConversions: 'keine; untersucht wurden die Pixel, wie sie decodiert wurden',
    sourcesTitle: 'Worauf die übrigen Methoden beruhen',
    retriesUnknown: 'nicht aufgezeichnet',
  },
  shownOnly: 'nur angezeigt, für das Ergebnis nicht verwendet',
};
