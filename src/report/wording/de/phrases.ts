import { capitalised } from '../../printable.ts';
import type { Phrases } from '../phrases.ts';
import { reasonsDe } from './labels.ts';

function oneOrMore(count: string, one: string, more: string): string {
  if (count === '0') return `Kein ${one}`;
  return `${count} ${count === '1' ? one : more}`;
}

export const phrasesDe: Phrases = {
  summary: {
    decided: {
      real: [
        (adverb) => `Der Befund spricht ${adverb} für eine echte fotografische Aufnahme.`,
        (adverb) =>
          `In der Gesamtschau spricht der Befund ${adverb} für eine echte fotografische Aufnahme.`,
        (adverb) =>
          `Die Untersuchung ergibt einen Befund, der ${adverb} für eine echte fotografische Aufnahme spricht.`,
      ],
      fake: [
        (adverb) => `Der Befund spricht ${adverb} für ein erzeugtes oder verändertes Bild.`,
        (adverb) =>
          `In der Gesamtschau spricht der Befund ${adverb} für ein erzeugtes oder verändertes Bild.`,
        (adverb) =>
          `Die Untersuchung ergibt einen Befund, der ${adverb} für ein erzeugtes oder verändertes Bild spricht.`,
      ],
    },
    pointing: {
      real: [
        'Der Befund deutet auf eine echte fotografische Aufnahme hin; wie stark, lässt sich nicht angeben.',
        'Der Befund deutet auf eine echte fotografische Aufnahme hin; die gemessenen Fehlerraten erlauben keine Aussage darüber, wie stark.',
      ],
      fake: [
        'Der Befund deutet auf ein erzeugtes oder verändertes Bild hin; wie stark, lässt sich nicht angeben.',
        'Der Befund deutet auf ein erzeugtes oder verändertes Bild hin; die gemessenen Fehlerraten erlauben keine Aussage darüber, wie stark.',
      ],
    },
    declared: [
      (origin) => `Die Datei selbst gibt an, dass ihr Inhalt ${origin} wurde.`,
      (origin) => `Nach den eigenen Angaben der Datei wurde ihr Inhalt ${origin}.`,
    ],
    generator: (name) => `Genannt wird ${name}.`,
    vouched: {
      unsigned: 'Die Angabe ist nicht signiert; jeder könnte sie geschrieben haben.',
      signed:
        'Die Angabe ist signiert, doch niemand, dem vertraut wird, bürgt für den Unterzeichner.',
      trusted: 'Die Angabe ist von einem Unterzeichner auf der Vertrauensliste signiert.',
    },
    tracesAlone: [
      (p, deviation) =>
        `Die Spuren im Bild allein ergeben eine geschätzte Wahrscheinlichkeit von ${p} (Unsicherheit ${deviation}); die Entscheidung beruht nicht darauf.`,
      (p, deviation) =>
        `Die Entscheidung beruht nicht auf den Spuren im Bild, die allein eine geschätzte Wahrscheinlichkeit von ${p} ergeben (Unsicherheit ${deviation}).`,
    ],
    tracesSilent: [
      'Die Spuren im Bild allein hätten keine Aussage erlaubt; die Entscheidung beruht nicht auf ihnen.',
      'Die Entscheidung beruht nicht auf den Spuren im Bild, die allein keine Aussage erlaubt hätten.',
    ],
    probability: [
      (p, deviation) =>
        `Die geschätzte Wahrscheinlichkeit, dass das Bild erzeugt oder verändert wurde, beträgt ${p} (Unsicherheit ${deviation}).`,
      (p, deviation) =>
        `Für ein erzeugtes oder verändertes Bild beträgt die geschätzte, kalibrierte Wahrscheinlichkeit ${p} (Unsicherheit ${deviation}).`,
    ],
    kinds: {
      'ai-generated':
        'Die Spuren sind von der Art, wie sie bei der vollständigen Erzeugung eines Bildes durch KI entstehen.',
      'ai-manipulated':
        'Die Spuren sind von der Art, wie sie bei der Veränderung einzelner Bildbereiche durch KI entstehen.',
      manipulated:
        'Die Spuren sind von der Art, wie sie bei der Veränderung eines Bildteils entstehen; ob durch herkömmliche Bildbearbeitung oder durch KI, verraten sie nicht.',
    },
    kindUnknown: 'Zur Art der Erzeugung oder Veränderung erlaubt der Befund keine Aussage.',
    abstain: [
      'Die Untersuchung erlaubt keine Aussage darüber, ob das Bild echt ist.',
      'Ob das Bild echt ist, lässt sich auf der Grundlage dieser Untersuchung nicht sagen.',
    ],
    uncertain: [
      'Der Befund reicht nicht aus, um zwischen einem echten und einem erzeugten oder veränderten Bild zu entscheiden.',
      'Der Befund lässt keine Entscheidung zwischen einem echten und einem erzeugten oder veränderten Bild zu.',
    ],
    reasons: (shorts) =>
      `${shorts.length === 1 ? 'Grund' : 'Gründe'}: ${capitalised(shorts.join('; '))}.`,
    suspected:
      'Das ist zu wenig, um das Bild verändert zu nennen, und zu viel, um es echt zu nennen.',
    neutral: [
      'Dieses Ergebnis spricht weder für noch gegen das Bild.',
      'Für oder gegen das Bild lässt sich daraus nichts ableiten.',
    ],
  },
  reasons: reasonsDe,
  levels: {
    veryLow: 'sehr gering',
    low: 'gering',
    medium: 'mittel',
    high: 'hoch',
    veryHigh: 'sehr hoch',
  },
  strategies: {
    pedantic: 'pedantic (entscheidet am seltensten)',
    default: 'default (ausgewogen)',
    relaxed: 'relaxed (entscheidet am häufigsten)',
  },
  forensic: {
    item: ({ name, facts, sha256 }) =>
      `Untersuchungsgegenstand: „${name}“, ${facts}, SHA-256-Prüfsumme ${sha256}.`,
    jpeg: ({ quality, subsampling, progressive }) =>
      `Die JPEG-Datei ist ${progressive ? 'progressiv' : 'nicht progressiv'} gespeichert, die Farbunterabtastung ist ${subsampling}, und ${
        quality === null
          ? 'aus den Quantisierungstabellen lässt sich die Qualitätsstufe nicht schätzen.'
          : `die Quantisierungstabelle der Helligkeit kommt der Qualitätsstufe ${quality} am nächsten.`
      }`,
    method: ({ model, patches, passes }) =>
      `${oneOrMore(patches, 'Bildausschnitt wurde', 'Bildausschnitte wurden')} mit dem Modell ${model} in je ${passes} Monte-Carlo-Durchläufen ausgewertet.`,
    traces: ({ real, fake, compression }) =>
      `Spuren einer Kameraaufnahme: ${real}. Spuren einer Erzeugung oder Veränderung: ${fake}. Spuren verlustbehafteter Kompression: ${compression}.`,
    reading: (value, deviation, level) => `${level}, ${value} (Unsicherheit ${deviation})`,
    nearer: {
      real: (real, fake) =>
        `Komprimierten echten Bildern ähnelt das Bild (Kosinus-Ähnlichkeit ${real}) stärker als komprimierten erzeugten oder veränderten (${fake}).`,
      fake: (real, fake) =>
        `Komprimierten echten Bildern ähnelt das Bild (Kosinus-Ähnlichkeit ${real}) weniger als komprimierten erzeugten oder veränderten (${fake}).`,
      neither: (real, fake) =>
        `Komprimierten echten Bildern ähnelt das Bild (Kosinus-Ähnlichkeit ${real}) ebenso stark wie komprimierten erzeugten oder veränderten (${fake}).`,
    },
    anomaly: (score) =>
      `Der Anomaliewert beträgt ${score}: Dieser Anteil der Referenzbilder weicht weniger von den Bildern ab, an denen das Modell gelernt hat.`,
    clusters: (count, gini) =>
      `${oneOrMore(count, 'zusammenhängender Bildbereich weicht', 'zusammenhängende Bildbereiche weichen')} deutlich ab; der Gini-Koeffizient der Abweichungen beträgt ${gini} (0: überall gleich stark).`,
    anomalyMissing:
      'Die Abweichung von den Bildern, an denen das Modell gelernt hat, ließ sich nicht bestimmen.',
    decision: ({ p, deviation, strategy }) =>
      `Die Strategie ${strategy} wurde auf eine geschätzte Wahrscheinlichkeit eines erzeugten oder veränderten Bildes von ${p} (Unsicherheit ${deviation}) angewandt.`,
    decisionByChange: ({ p, strategy }) =>
      `Die Strategie ${strategy} wurde auf eine geschätzte Wahrscheinlichkeit eines veränderten Teils von ${p} angewandt.`,
    findings: 'Befunde, der stärkste zuerst:',
    skipped: (methods) => `Ohne Befund: ${methods}.`,
  },
  heatmap: {
    intro: (cellPx) => [
      'Die Heatmaps zeigen, an welchen Stellen des Bildes und wie stark die Methoden reagiert haben. Sie zeigen nicht, dass dort etwas verändert wurde.',
      `Die Skala reicht von 0 (dunkelblau) über Magenta und Orange bis 1 (hellgelb) und ist für alle Bilder dieselbe. Jeder Wert beschreibt eine Zelle von ${cellPx} × ${cellPx} Bildpunkten mitsamt ihrer Umgebung; zwischen den Zellen wird interpoliert.`,
      'Ein einzelner heller Bereich ist für sich genommen kein Beweis: Auch Objektkanten, Spiegelungen, Schrift und gleichförmige Flächen können ihn verursachen.',
    ],
    asStored:
      'In den Heatmap-Dateien liegt das Bild so, wie seine Bildpunkte gespeichert sind; dieser Bericht zeigt es gemäß EXIF-Ausrichtung aufgerichtet und benennt Stellen darin entsprechend.',
    map: {
      real: {
        meaning:
          'Spuren einer Kameraaufnahme. Je höher der Wert, desto mehr ähnelt der Bildbereich Bereichen echter Fotografien.',
        caution:
          'Ein niedriger Wert allein ist kein Hinweis auf eine Veränderung: Dunkle, überbelichtete oder sehr glatte Bereiche tragen nur wenige solcher Spuren.',
      },
      fake: {
        meaning:
          'Spuren einer Erzeugung oder Veränderung. Je höher der Wert, desto mehr ähnelt der Bildbereich Bereichen erzeugter oder veränderter Bilder.',
        caution:
          'Der Wert zeigt, wo die Methoden reagiert haben; der Umriss eines hellen Bereichs ist nicht der Umriss einer Veränderung.',
      },
      compression: {
        meaning:
          'Spuren verlustbehafteter Kompression. Je höher der Wert, desto stärker wurde der Bildbereich komprimiert oder erneut gespeichert.',
        caution:
          'Kompression ist alltäglich und für sich genommen unverdächtig; sie begrenzt, was die übrigen Heatmaps zeigen können.',
      },
      anomaly: {
        meaning:
          'Abweichung von den Bildern, an denen das Modell gelernt hat. Je höher der Wert, desto ungewöhnlicher der Bildbereich.',
        caution:
          'Ungewöhnlich heißt nicht verändert: Auch seltene Motive und seltene Geräte weichen ab. In solchen Bereichen sind die übrigen Werte weniger verlässlich.',
      },
    },
    changes: {
      fake: 'Gezeigt ist an jeder Stelle der höhere von zwei Werten: die Spuren einer Erzeugung, umso schwächer, je unwahrscheinlicher es ist, dass das ganze Bild erzeugt wurde; und das, was die Methoden markieren, die nach veränderten Stellen suchen, umso schwächer, je weniger für eine Veränderung spricht.',
      anomaly:
        'Der Wert steigt auch dort, wo sich eine Stelle für die Methoden, die nach veränderten Stellen suchen, vom übrigen Bild abhebt: umso mehr, je wahrscheinlicher ihnen eine Veränderung erscheint.',
    },
    places: {
      upperLeft: 'oben links',
      upperCentre: 'oben in der Mitte',
      upperRight: 'oben rechts',
      middleLeft: 'links auf mittlerer Höhe',
      centre: 'in der Bildmitte',
      middleRight: 'rechts auf mittlerer Höhe',
      lowerLeft: 'unten links',
      lowerCentre: 'unten in der Mitte',
      lowerRight: 'unten rechts',
    },
    peak: ({ mean, highest, place, share }) =>
      `Mittelwert ${mean}; höchster Wert ${highest}, ${place}; ${share} der Zellen liegen über der Mitte der Skala.`,
    even: (mean) =>
      `Mittelwert ${mean}; die Werte sind über das ganze Bild gleichmäßig, kein Bereich tritt hervor.`,
  },
  conclusion: {
    real: [
      'Das Ergebnis stützt die Annahme, dass es sich um eine echte fotografische Aufnahme handelt. Es schließt weder Veränderungen aus, die für das Verfahren keine erkennbaren Spuren hinterlassen, noch eine irreführende Beschriftung oder einen falschen Zusammenhang, noch eine Aufnahme von einem Bildschirm oder einem Abzug.',
      'Die Annahme, dass es sich um eine echte fotografische Aufnahme handelt, wird durch das Ergebnis gestützt. Nicht ausgeschlossen sind Veränderungen, die für das Verfahren keine erkennbaren Spuren hinterlassen, eine irreführende Beschriftung oder ein falscher Zusammenhang sowie eine Aufnahme von einem Bildschirm oder einem Abzug.',
    ],
    fake: [
      'Das Ergebnis stützt die Annahme, dass das Bild erzeugt oder verändert wurde. Es besagt nicht, wer das Bild wann und mit welcher Absicht erzeugt oder verändert hat; es ist eine Schätzung mit bekannter Fehlerrate und sollte anhand der Herkunft des Bildes und weiterer Anhaltspunkte überprüft werden.',
      'Die Annahme, dass das Bild erzeugt oder verändert wurde, wird durch das Ergebnis gestützt. Wer das Bild wann und mit welcher Absicht erzeugt oder verändert hat, geht daraus nicht hervor; es ist eine Schätzung mit bekannter Fehlerrate und sollte anhand der Herkunft des Bildes und weiterer Anhaltspunkte überprüft werden.',
    ],
    changed: [
      'Das Ergebnis stützt die Annahme, dass ein Teil des Bildes verändert wurde. Es besagt nicht, wer ihn wann und mit welcher Absicht verändert hat; es ist eine Schätzung, die falsch sein kann, und sollte anhand der markierten Stelle im Bild, seiner Herkunft und weiterer Anhaltspunkte überprüft werden.',
      'Die Annahme, dass ein Teil des Bildes verändert wurde, wird durch das Ergebnis gestützt. Wer ihn wann und mit welcher Absicht verändert hat, geht daraus nicht hervor; es ist eine Schätzung, die falsch sein kann, und sollte anhand der markierten Stelle im Bild, seiner Herkunft und weiterer Anhaltspunkte überprüft werden.',
    ],
    declared: [
      'Das Ergebnis stützt die Annahme, dass das Bild erzeugt oder verändert wurde, soweit der Angabe in der Datei zu glauben ist. Es besagt nicht, wer das Bild wann und mit welcher Absicht erzeugt oder verändert hat, und sollte anhand der Herkunft der Datei und weiterer Anhaltspunkte überprüft werden.',
      'Soweit der Angabe in der Datei zu glauben ist, wird die Annahme, dass das Bild erzeugt oder verändert wurde, durch das Ergebnis gestützt. Wer das Bild wann und mit welcher Absicht erzeugt oder verändert hat, geht daraus nicht hervor; es sollte anhand der Herkunft der Datei und weiterer Anhaltspunkte überprüft werden.',
    ],
    abstain: [
      'Das Bild liegt außerhalb des Bereichs, in dem das Verfahren validiert ist. Aus dieser Untersuchung darf kein Schluss auf seine Echtheit gezogen werden.',
      'Weil das Bild außerhalb des Bereichs liegt, in dem das Verfahren validiert ist, darf aus dieser Untersuchung kein Schluss auf seine Echtheit gezogen werden.',
    ],
    uncertain: [
      'Die Frage der Echtheit bleibt offen. Weder die Annahme einer echten fotografischen Aufnahme noch die eines erzeugten oder veränderten Bildes ist hinreichend gestützt.',
      'Weder die Annahme einer echten fotografischen Aufnahme noch die eines erzeugten oder veränderten Bildes ist hinreichend gestützt. Die Frage der Echtheit bleibt offen.',
    ],
    help: 'Weiterhelfen würde:',
    duty: [
      'Das Ergebnis ist ein Indiz unter mehreren und ersetzt nicht die Bewertung durch eine sachverständige Person.',
      'Das Ergebnis ist ein Indiz unter mehreren; die Bewertung bleibt der sachverständigen Person überlassen.',
    ],
  },
};
