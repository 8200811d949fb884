/**
 * Puts an examination into words, from templates: what the evidence speaks for, what it does not allow to say, and
 * never that a picture "is" fake. All languages are given the same figures, rounded alike.
 */

import type { Examination, MapName, ReasonCode } from '../engine/result.ts';
import type { ReportItem } from './item.ts';
import type { Language } from './language.ts';
import { createNumberWriter, type NumberWriter } from './numbers.ts';
import { choose, phrasesOf } from './phrase-book.ts';
import type { Phrases } from './phrases.ts';
import { printable } from './printable.ts';
import { levelOf, readMap, strengthOf } from './reading.ts';
import type { ReportTexts } from './texts.ts';

/** Characters of a file name that a sentence bears; the report's table has room for more. */
const nameLimit = 80;

interface Writing {
  readonly examination: Examination;
  readonly item: ReportItem;
  readonly language: Language;
  readonly phrases: Phrases;
  readonly numbers: NumberWriter;
  /** One of the given sentences, by the seed of the examination. */
  readonly vary: <T>(variants: readonly T[], slot: string) => T;
}

/** Paragraphs are parted by an empty line. The texts hold foreign names, made printable, and no markup. */
export function writeTexts(
  examination: Examination,
  item: ReportItem,
  language: Language,
): ReportTexts {
  const writing: Writing = {
    examination,
    item,
    language,
    phrases: phrasesOf(language),
    numbers: createNumberWriter(language),
    vary: (variants, slot) => choose(variants, examination.options.seed, slot),
  };
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

function writeSummary({ examination, phrases, numbers, vary }: Writing): string {
  const { decision } = examination;
  const { summary } = phrases;
  const { resultClass } = decision;
  if (resultClass === 'abstain' || resultClass === 'uncertain') {
    return sentences([
      vary(summary[resultClass], 'undecided'),
      ...withReasons(decision.reasons, (reasons) =>
        summary.reasons(reasons.map((reason) => phrases.reasons[reason].short)),
      ),
      vary(summary.neutral, 'neutral'),
    ]);
  }
  const p = numbers.score(decision.fakeProbability);
  return sentences([
    vary(summary.decided[resultClass], 'decided')(summary.strength[strengthOf(decision)]),
    ...(resultClass === 'fake' ? writeKinds(examination, phrases) : []),
    vary(summary.probability, 'probability')(p, numbers.score(decision.fakeUncertainty)),
  ]);
}

function writeKinds({ decision }: Examination, { summary }: Phrases): readonly string[] {
  if (decision.resultSubClasses.length === 0) return [summary.kindUnknown];
  return decision.resultSubClasses.map((kind) => summary.kinds[kind]);
}

function writeForensic(writing: Writing): string {
  const { examination, phrases, numbers } = writing;
  const { decision, options } = examination;
  const p = numbers.score(decision.fakeProbability);
  const paragraphs = [
    writeItem(writing),
    sentences([writeMethod(writing), writeTraces(writing)]),
    sentences([writeSimilarity(writing), ...writeAnomaly(writing)]),
    sentences([
      phrases.forensic.decision(p, phrases.strategies[options.decisionStrategy]),
      ...decision.reasons.map((reason) => phrases.reasons[reason].what),
    ]),
    ...writeMethods(writing),
  ];
  return paragraphs.join('\n\n');
}

function writeItem({ examination, item, phrases, numbers, language }: Writing): string {
  const { facts } = examination;
  const { jpeg } = facts;
  const size = `${numbers.count(facts.width)} × ${numbers.count(facts.height)}`;
  const words =
    language === 'de' ? { px: 'Bildpunkte', bytes: 'Byte' } : { px: 'pixels', bytes: 'bytes' };
  const format = facts.format === 'jpg' ? 'JPEG' : 'PNG';
  const about = `${format}, ${size} ${words.px}, ${numbers.count(facts.sizeBytes)} ${words.bytes}`;
  const name = printable(item.name, nameLimit);
  return sentences([
    phrases.forensic.item({ name, facts: about, sha256: facts.sha256 }),
    ...(jpeg === null
      ? []
      : [
          phrases.forensic.jpeg({
            quality: jpeg.quality === null ? null : numbers.count(jpeg.quality.value),
            subsampling: printable(jpeg.chromaSubsampling),
            progressive: jpeg.progressive,
          }),
        ]),
  ]);
}

function writeMethod({ examination, phrases, numbers }: Writing): string {
  const { model, patchesRead, passes } = examination;
  return phrases.forensic.method({
    model: `${printable(model.id)} ${printable(model.version)}`,
    patches: numbers.count(patchesRead),
    passes: numbers.count(passes),
  });
}

function writeTraces({ examination, phrases, numbers }: Writing): string {
  const { predictions, classUncertainties } = examination;
  const reading = (name: 'real' | 'fake' | 'compression') =>
    phrases.forensic.reading(
      numbers.score(predictions[name]),
      numbers.score(classUncertainties[name]),
      phrases.levels[levelOf(predictions[name])],
    );
  return phrases.forensic.traces({
    real: reading('real'),
    fake: reading('fake'),
    compression: reading('compression'),
  });
}

function writeSimilarity({ examination, phrases, numbers }: Writing): string {
  const { realCompressed, fakeCompressed } = examination.classSimilarities;
  const real = numbers.score(realCompressed);
  const fake = numbers.score(fakeCompressed);
  const nearer = realCompressed > fakeCompressed ? 'real' : 'fake';
  // Compared as printed: "more (0.61) than (0.61)" would puzzle every reader.
  return phrases.forensic.nearer[real === fake ? 'neither' : nearer](real, fake);
}

function writeAnomaly({ examination, phrases, numbers }: Writing): readonly string[] {
  const { score, numCluster, giniCoeff } = examination.anomaly;
  const { forensic } = phrases;
  const scored = score === null ? forensic.anomalyMissing : forensic.anomaly(numbers.score(score));
  if (numCluster === null || giniCoeff === null) return [scored];
  return [scored, forensic.clusters(numbers.count(numCluster), numbers.score(giniCoeff))];
}

function writeMethods({ examination, phrases, language }: Writing): readonly string[] {
  const { findings, skipped } = examination;
  const methods = skipped.map(({ method }) => phrases.methods[method] ?? printable(method));
  return [
    ...(findings.length === 0
      ? []
      : [
          sentences([phrases.forensic.findings, ...findings.map((one) => one.statement[language])]),
        ]),
    ...(methods.length === 0 ? [] : [phrases.forensic.skipped(methods.join(', '))]),
  ];
}

function writeIntro({ examination, item, phrases: { heatmap }, numbers }: Writing): string {
  const intro = heatmap.intro(numbers.count(examination.maps.cellPx));
  const isStored = item.heatmapStance === 'stored';
  return [...intro, ...(isStored ? [heatmap.asStored] : [])].join('\n\n');
}

function writeMap({ examination, phrases, numbers }: Writing, name: MapName): string {
  const { heatmap } = phrases;
  const { meaning, caution } = heatmap.map[name];
  const reading = readMap(examination.maps, name);
  const mean = numbers.score(reading.mean);
  const figures = reading.isEven
    ? heatmap.even(mean)
    : heatmap.peak({
        mean,
        highest: numbers.score(reading.highest),
        place: heatmap.places[reading.place],
        share: numbers.percent(reading.shareAboveHalf),
      });
  return sentences([meaning, figures, caution]);
}

function writeConclusion({ examination, phrases, vary }: Writing): string {
  const { resultClass, reasons } = examination.decision;
  const { conclusion } = phrases;
  return sentences([
    vary(conclusion[resultClass], 'conclusion'),
    ...withReasons(reasons, (codes) => {
      const helps = codes.map((reason) => phrases.reasons[reason].help);
      return `${conclusion.help} ${helps.join('; ')}.`;
    }),
    vary(conclusion.duty, 'duty'),
  ]);
}

function withReasons(
  reasons: readonly ReasonCode[],
  write: (reasons: readonly ReasonCode[]) => string,
): readonly string[] {
  return reasons.length === 0 ? [] : [write(reasons)];
}

function sentences(parts: readonly string[]): string {
  return parts.join(' ');
}
