/** The words of the contract's `report`: never that a picture "is" fake. All languages get the same figures. */

import { formatNames, type Language } from '../contract/vocabulary.ts';
import { placeOf } from '../detectors/regions.ts';
import type { CellMaps, Decision, Examination, MapName } from '../detectors/result.ts';
import { writeEvidence } from './evidence.ts';
import { createNumberWriter, wordsIn } from './wording/catalogue.ts';
import { present, writeGroundInFull, writeReliance } from './presentation.ts';
import { fill, kept, nameIn, printable, say, speak } from './text.ts';
import type { ReportItem, ReportTexts } from './report-item.ts';
import { isAboutPart, readResult } from './result.ts';

export type Writing = Readonly<ReturnType<typeof openWriting>>;

export function openWriting(examination: Examination, item: ReportItem, language: Language) {
  const result = readResult(examination);
  return {
    examination,
    evidence: writeEvidence(examination),
    result,
    presentation: present(result, language),
    item,
    language,
    catalogue: { ...wordsIn(language), measurements: speak(measurements, language) },
    numbers: createNumberWriter(language),
  };
}

/** Paragraphs are separated by an empty line. The text contains names taken from the file, made printable, and no markup. */
export function writeTexts(
  examination: Examination,
  item: ReportItem,
  language: Language,
): ReportTexts {
  const writing = openWriting(examination, item, language);
  return {
    summary: writeSummary(writing),
    forensic: writeForensic(writing),
    heatmapIntro: writeIntro(writing),
    heatmap: {
      real: writeMap(writing, 'real'),
      fake: writeMap(writing, 'fake'),
      compressed: writeMap(writing, 'compression'),
      anomaly: writeMap(writing, 'anomaly'),
    },
    conclusion: writeConclusion(writing),
  };
}

/** The answer as on the first page of a report, and how strongly the evidence supports it. */
function writeSummary({ evidence, result, presentation, language }: Writing): string {
  const { manipulation, statement } = evidence;
  return sentences([
    `${presentation.headline}.`,
    printable(writeGroundInFull(result, language)),
    manipulation && isAboutPart(result) && manipulation.statement[language],
    result.outcome !== 'abstain' && statement[language],
  ]);
}

/** How far to rely on the result, and what to do next. The seed chooses among sentences with the same meaning. */
function writeConclusion({ examination, result, presentation, catalogue }: Writing): string {
  const { duty } = catalogue.verdict.conclusion;
  const { next, further } = presentation;
  return sentences([
    writeReliance(result, catalogue),
    next,
    ...further,
    duty[Math.abs(examination.options.seed) % duty.length]!,
  ]);
}

/** Longest reason and longest file name in a text, in characters; the report's table has room for more. */
const nameLimit = 80;

/** What was examined and how, the strength of the evidence, the findings, and why nothing was decided. */
function writeForensic(writing: Writing): string {
  const { evidence, language, examination, catalogue } = writing;
  const isOutside = leadsToAbstain(examination.decision);
  return [
    writeItem(writing),
    sentences([writeMethod(writing), isOutside && catalogue.measurements.results.outside]),
    evidence.statement[language],
    ...writeSupport(writing),
    ...writeFindings(writing),
    ...evidence.reasons.map(({ statement }) => statement[language]),
  ].join('\n\n');
}

/** Why the support is no stronger, and whether it is stable. */
export function writeSupport({ evidence, language }: Writing): readonly string[] {
  const told = [evidence.cap, evidence.stability].filter((one) => one !== null);
  return told.map(({ statement }) => statement[language]);
}

/** Whether the picture's traces are outside the range in which the model's values have a validated meaning. */
export function leadsToAbstain({ byTraces, resultClass }: Decision): boolean {
  return (byTraces?.resultClass ?? resultClass) === 'abstain';
}

function writeItem({ examination: { facts }, item, catalogue, numbers }: Writing): string {
  const size = `${numbers.count(facts.width)} × ${numbers.count(facts.height)}`;
  const { pixels, bytes } = catalogue.labels;
  const format = formatNames[facts.format];
  const about = `${format}, ${size} ${pixels}, ${numbers.count(facts.sizeBytes)} ${bytes}`;
  const name = printable(item.name, nameLimit);
  return catalogue.measurements.forensic.item({ name, facts: about, sha256: facts.sha256 });
}

function writeMethod({ examination, catalogue, numbers }: Writing): string {
  const { model, patchesRead, passes } = examination;
  return catalogue.measurements.forensic.method({
    model: `${printable(model.id)} ${printable(model.version)}`,
    patches: numbers.count(patchesRead),
    passes: numbers.count(passes),
  });
}

function writeFindings({ evidence, catalogue, language }: Writing): readonly string[] {
  const { findings, skipped } = evidence;
  const statements = findings.map(({ statement }) => printable(statement[language], 2000));
  const methods = skipped.map(({ method }) =>
    nameIn(catalogue.findings.methods, method, printable(method)),
  );
  const { findings: found, skipped: without } = catalogue.measurements.forensic;
  return kept([
    statements.length > 0 && sentences([found, ...statements]),
    methods.length > 0 && without(methods.join(', ')),
  ]);
}

function writeIntro({ examination, item, catalogue, numbers }: Writing): string {
  const { intro, asStored } = catalogue.measurements.heatmap;
  const measured = intro.cells(numbers.count(examination.maps.cellPx));
  const isStored = item.heatmapOrientation === 'stored';
  return kept([intro.what, `${intro.scale} ${measured}`, intro.caution, isStored && asStored]).join(
    '\n\n',
  );
}

/** The description of a map, followed by the effect of changed parts, which the report explains only here. */
function writeMap(writing: Writing, name: MapName): string {
  const { examination, catalogue } = writing;
  const { changes } = catalogue.measurements.heatmap;
  const added = examination.manipulation === null ? '' : nameIn(changes, name, '');
  return sentences([describeMap(writing, name), added]);
}

export function describeMap(
  { examination, catalogue, numbers }: Pick<Writing, 'examination' | 'catalogue' | 'numbers'>,
  name: MapName,
): string {
  const { heatmap } = catalogue.measurements;
  const { meaning, caution } = heatmap.map[name];
  const reading = readMap(examination.maps, name);
  const mean = numbers.score(reading.mean);
  const figures = reading.isEven
    ? heatmap.even(mean)
    : heatmap.peak({
        mean,
        highest: numbers.score(reading.highest),
        place: catalogue.findings.places[reading.place],
        share: numbers.percent(reading.shareAboveHalf),
      });
  return sentences([meaning, figures, caution]);
}

export function readMap({ values, columns, rows }: CellMaps, name: MapName) {
  const cells = values[name];
  let sum = 0;
  let above = 0;
  let at = 0;
  let lowest = 65535;
  for (let i = 0; i < cells.length; i++) {
    const value = cells[i]!;
    sum += value;
    if (value > 32767) above++;
    if (value > cells[at]!) at = i;
    if (value < lowest) lowest = value;
  }
  const [left, top] = [(at % columns) + 0.5, Math.floor(at / columns) + 0.5];
  return {
    /** Mean and greatest value over all cells, 0..1. */
    mean: sum / cells.length / 65535,
    highest: cells[at]! / 65535,
    /** Where the greatest value is; the first in reading order if several are equal. */
    place: placeOf({ left, top, width: 0, height: 0, share: 0 }, { width: columns, height: rows }),
    /** Share of cells above the middle of the scale, 0..1. */
    shareAboveHalf: above / cells.length,
    /** Whether no region stands out: the whole map is within a tenth of the scale. */
    isEven: cells[at]! - lowest < 6554,
  };
}

function sentences(parts: Parameters<typeof kept>[0]): string {
  return kept(parts).join(' ');
}

/** Not in the catalogue, because the console does not need these words. */
const measurements = {
  forensic: {
    item: say(
      ({ name, facts, sha256 }: Record<'name' | 'facts' | 'sha256', string>) =>
        `Item examined: “${name}”, ${facts}, SHA-256 checksum ${sha256}.`,
      ({ name, facts, sha256 }) =>
        `Untersuchungsgegenstand: „${name}“, ${facts}, SHA-256-Prüfsumme ${sha256}.`,
    ),
    method: say(
      ({ model, patches, passes }: Record<'model' | 'patches' | 'passes', string>) =>
        `Patches read with the model ${model}: ${patches}, each in ${passes} Monte Carlo passes.`,
      ({ model, patches, passes }) =>
        `Mit dem Modell ${model} ausgewertete Bildausschnitte: ${patches}, jeder in ${passes} Monte-Carlo-Durchläufen.`,
    ),
    findings: say('Findings, strongest first:', 'Befunde, der stärkste zuerst:'),
    skipped: fill('Without a finding: {methods}.', 'Ohne Befund: {methods}.'),
  },
  heatmap: {
    intro: {
      what: say(
        'The heatmaps show where in the picture the methods responded, and how strongly. They do not show that anything was changed there.',
        'Die Heatmaps zeigen, an welchen Stellen des Bildes und wie stark die Methoden angeschlagen haben. Sie zeigen nicht, dass dort etwas verändert wurde.',
      ),
      scale: say(
        'The scale runs from 0 (dark blue) through magenta and orange to 1 (pale yellow) and is the same for every picture.',
        'Die Skala reicht von 0 (dunkelblau) über Magenta und Orange bis 1 (hellgelb) und ist für alle Bilder dieselbe.',
      ),
      cells: say(
        (cellPx: string) =>
          `Each value describes a cell of ${cellPx} × ${cellPx} pixels together with its surroundings; between cells, the values are interpolated.`,
        (cellPx) =>
          `Jeder Wert beschreibt eine Zelle von ${cellPx} × ${cellPx} Pixeln mitsamt ihrer Umgebung; zwischen den Zellen wird interpoliert.`,
      ),
      caution: say(
        'A single bright area is not evidence by itself: edges of objects, reflections, text and uniform areas can cause one too.',
        'Ein einzelner heller Bereich ist für sich genommen kein Beweis: Auch Objektkanten, Spiegelungen, Schrift und gleichförmige Flächen können ihn verursachen.',
      ),
    },
    asStored: say(
      'The heatmap files show the picture as its pixels are stored; this report shows it, and describes places in it, rotated according to EXIF.',
      'In den Heatmap-Dateien liegt das Bild so, wie seine Pixel gespeichert sind; dieser Bericht zeigt es gemäß EXIF-Ausrichtung gedreht und beschreibt Stellen entsprechend.',
    ),
    map: {
      real: {
        meaning: say(
          'How much each area resembles areas in genuine photographs.',
          'Wie stark die einzelnen Bereiche denen echter Fotografien ähneln.',
        ),
        caution: say(
          'A low value is no sign of a change: dark, overexposed or very smooth areas contain few such traces.',
          'Ein niedriger Wert ist kein Hinweis auf eine Veränderung: Dunkle, überbelichtete oder sehr glatte Bereiche tragen nur wenige solcher Spuren.',
        ),
      },
      fake: {
        meaning: say(
          'How much each area resembles areas in generated or altered pictures.',
          'Wie stark die einzelnen Bereiche denen KI-erzeugter oder veränderter Bilder ähneln.',
        ),
        caution: say(
          'The outline of a bright area is not the outline of a change.',
          'Der Umriss eines hellen Bereichs ist nicht der Umriss einer Veränderung.',
        ),
      },
      compression: {
        meaning: say(
          'How strongly each area was compressed or re-saved.',
          'Wie stark die einzelnen Bereiche komprimiert wurden, auch durch erneutes Speichern.',
        ),
        caution: say(
          'Compression is common and harmless; it limits what the other heatmaps can show.',
          'Kompression ist alltäglich und unverdächtig; je stärker sie ist, desto weniger können die übrigen Heatmaps zeigen.',
        ),
      },
      anomaly: {
        meaning: say(
          'How far each area deviates from the pictures that the model has learned from.',
          'Wie weit die einzelnen Bereiche von den Bildern abweichen, mit denen das Modell trainiert wurde.',
        ),
        caution: say(
          'Unusual does not mean altered: rare subjects and devices deviate as well.',
          'Ungewöhnlich heißt nicht verändert: Auch seltene Motive und Geräte weichen ab.',
        ),
      },
    },
    changes: {
      fake: say(
        'Each place shows the higher of two values: traces of generation, scaled down if the whole picture is unlikely to have been generated; and what the methods that look for changed parts mark, scaled down if little indicates a change.',
        'Gezeigt wird an jeder Stelle der höhere von zwei Werten: wie stark die Spuren eines KI-Generators sind, gewichtet mit der Wahrscheinlichkeit, dass das ganze Bild KI-erzeugt ist, und wie stark die Methoden, die nach veränderten Stellen suchen, die Stelle markieren, gewichtet mit der Wahrscheinlichkeit einer Veränderung.',
      ),
      anomaly: say(
        'The value also rises where the methods that look for changed parts find a place that differs from the rest of the picture, and more so the more likely a change is.',
        'Der Wert steigt auch dort, wo sich eine Stelle nach den Methoden, die nach Veränderungen suchen, vom übrigen Bild abhebt: umso mehr, je wahrscheinlicher eine Veränderung ist.',
      ),
    },
    peak: say(
      (map: Record<'mean' | 'highest' | 'place' | 'share', string>) =>
        `Mean ${map.mean}; highest value ${map.highest}, ${map.place}; ${map.share} of the area lies above 0.5.`,
      ({ mean, highest, place, share }) =>
        `Mittelwert ${mean}; höchster Wert ${highest}, ${place}; ${share} der Fläche liegen über 0,5.`,
    ),
    even: fill(
      'Mean {mean}; the values are even across the picture, and no area stands out.',
      'Mittelwert {mean}; die Werte sind im ganzen Bild ähnlich, kein Bereich fällt auf.',
    ),
  },
  results: {
    outside: say(
      'Judging by its traces, the picture lies outside the range for which the method was validated. The values are recorded so that the examination can be repeated; they say nothing about the picture.',
      'Nach seinen Spuren liegt das Bild außerhalb des Bereichs, für den das Verfahren validiert ist. Die Werte sind festgehalten, damit sich die Untersuchung wiederholen lässt; über das Bild sagen sie nichts aus.',
    ),
    stabilityTitle: say('Stability', 'Stabilität'),
    stabilityColumns: say(
      ['The picture was', 'Probability of generation', 'The traces are then'],
      ['Das Bild wurde', 'Wahrscheinlichkeit, dass es KI-erzeugt ist', 'Die Spuren sind dann'],
    ),
    stabilityOther: fill(
      'The traces count as pointing to the other side if its probability is at least {least}. That removes the grounds for a decision, but may not be enough for the opposite one.',
      'Als umgekehrt gelten die Spuren, wenn die andere Hypothese eine Wahrscheinlichkeit von mindestens {least} erhält. Dann wird nichts entschieden, auch nicht zugunsten der anderen Hypothese.',
    ),
    stabilityMissing: say(
      'Stability was not tested in this examination; it is tested only when the traces of the whole picture lead to a decision.',
      'Die Stabilität wurde bei dieser Untersuchung nicht geprüft; geprüft wird sie, wenn die Spuren des ganzen Bildes zu einer Entscheidung führen.',
    ),
    /** For pictures that are never called changed, because they are too small or damaged. */
    suspectedLimit: fill(
      '{p}; suspected from {suspected}, never called changed (small or damaged picture)',
      '{p}; ab {suspected} gilt das Bild als verdächtig, nie als verändert (kleines oder beschädigtes Bild)',
    ),
    changeLimits: fill(
      '{p}; suspected from {suspected}, called changed from {changed}',
      '{p}; ab {suspected} gilt das Bild als verdächtig, ab {changed} als verändert',
    ),
    limits: fill(
      '{p}; called a photograph up to {low}, generated from {high}',
      '{p}; bis {low} gilt das Bild als Fotografie, ab {high} als KI-erzeugt',
    ),
  },
  method: {
    steps: say(
      (run: Record<'model' | 'cell' | 'patches' | 'passes', string>) =>
        `The file was decoded once, to 8-bit RGB. The trained network ${run.model} looked for traces of cameras and of generators, which the heatmaps show in cells of ${run.cell} pixels, each judged with its surroundings; between cells, the values are interpolated. The figures for the picture come from its most textured patches (${run.patches} of them), since flat areas contain hardly any traces. They were assessed in ${run.passes} passes, in each of which a random part of the features was left out (Monte Carlo dropout); the spread over the passes is the stated uncertainty. The strategy determines whether a decision is made, never which one.`,
      ({ model, cell, patches, passes }) =>
        `Die Datei wurde einmal in RGB mit 8 Bit je Kanal decodiert. Das trainierte Netz ${model} suchte nach Spuren von Kameras und von Generatoren; die Heatmaps zeigen sie in Zellen von ${cell} Pixeln. In jeden ihrer Werte geht die Umgebung der Zelle ein; zwischen den Zellen wird interpoliert. Die Werte des Bildes stammen aus seinen strukturreichsten Ausschnitten (hier ${patches}), denn gleichförmige Flächen tragen kaum Spuren. Sie wurden in ${passes} Durchläufen beurteilt, in denen jeweils ein zufälliger Teil der Merkmale wegfiel (Monte-Carlo-Dropout); die Streuung der Durchläufe ist die angegebene Unsicherheit. Die Strategie bestimmt, ob entschieden wird, aber nie, wie die Entscheidung ausfällt.`,
    ),
    views: say(
      'The model also assessed the picture as a whole, at 384 pixels on its longer side. For pictures above 1.2 megapixels, it took its patches and heatmaps from a copy scaled down to that size, and also examined eight squares of the picture’s original pixels; all of these count towards the result.',
      'Das Modell hat außerdem das Bild als Ganzes beurteilt, verkleinert auf 384 Pixel an der längeren Seite. Bei mehr als 1,2 Megapixeln stammen Ausschnitte und Heatmaps aus einer auf 1,2 Megapixel verkleinerten Kopie; zusätzlich wurden dann acht Quadrate in Originalauflösung ausgewertet. Alles zusammen geht in die Werte ein.',
    ),
    transformer: say(
      'A vision transformer, part of the model, assessed the whole picture at 224 × 224 pixels and the most textured square of its own pixels; its log odds are added to those of the patches. It also tells photographs from drawings, diagrams, renderings, screenshots and pages of text.',
      'Ein Vision Transformer, Teil des Modells, beurteilte das ganze Bild, verkleinert auf 224 × 224 Pixel, und das strukturreichste Quadrat in Originalauflösung; seine Log-Odds werden zu denen der Ausschnitte addiert. Er unterscheidet außerdem Fotografien von Zeichnungen, Computergrafiken, Bildschirmfotos, Textseiten und Diagrammen.',
    ),
    changes: fill(
      'A second network, {model}, looked for parts that were processed differently from the rest of the picture; what it found was combined with methods that need no training, each of which is listed with its finding.',
      'Ein zweites Netz, {model}, suchte nach Teilen, die anders verarbeitet wurden als der Rest des Bildes; seine Befunde wurden mit denen von Methoden zusammengeführt, die ohne Training auskommen und einzeln aufgeführt sind.',
    ),
    locator: say('Localisation model', 'Lokalisierungsmodell'),
    conversions: say('Conversions while reading', 'Umwandlungen beim Einlesen'),
    noConversions: say(
      'none; the pixels were examined as decoded',
      'keine; untersucht wurden die Pixel, wie sie decodiert wurden',
    ),
    sourcesTitle: say('What the other methods are based on', 'Worauf die übrigen Methoden beruhen'),
    retriesUnknown: say('not recorded', 'nicht aufgezeichnet'),
  },
  shownOnly: say(
    'shown only, not used for the verdict',
    'nur angezeigt, für das Ergebnis nicht verwendet',
  ),
};
