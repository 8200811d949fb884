/** Where methods reacted: four maps, each beside the picture itself, and those of single methods. */

import { mapNames, type ModelIdentity } from '../../engine/result.ts';
import { writeTime } from '../numbers.ts';
import { capitalised, nameIn, printable } from '../printable.ts';
import {
  type Block,
  heading,
  type MethodBlock,
  note,
  only,
  paragraph,
  type Row,
  type SectionInput,
} from './blocks.ts';
import { sideOf } from './evaluation.ts';

export function heatmapBlocks(input: SectionInput): readonly Block[] {
  const { texts, labels, heatmapDigests } = input;
  const { real, fake, compressed, anomaly } = texts.heatmap;
  const textOf = { real, fake, compression: compressed, anomaly };
  return [
    ...texts.heatmapIntro.split('\n\n').map(paragraph),
    {
      kind: 'heatmaps',
      maps: mapNames.map((map) => ({
        map,
        title: labels.maps[map],
        text: textOf[map],
        note: `${labels.heatmapChecksum}: ${heatmapDigests[map]}`,
      })),
    },
    ...methodMapBlocks(input),
  ];
}

/** The map and the finding of each method; empty for an examination of an earlier version. */
function methodMapBlocks(input: SectionInput): readonly Block[] {
  const { examination, evidence, catalogue } = input;
  const { findings } = evidence;
  const maps = Object.keys(examination.maps.methods).flatMap((method) => {
    const finding = findings.find((one) => one.method === method);
    return finding === undefined ? [] : [toBlock(input, finding)];
  });
  if (maps.length === 0) return [];
  const { title, intro } = catalogue.measurements.methodMaps;
  return [heading(title), note(intro), { kind: 'methods', maps }];
}

type Finding = SectionInput['evidence']['findings'][number];

function toBlock(input: SectionInput, finding: Finding): MethodBlock {
  const { catalogue, language } = input;
  const { method, statement } = finding;
  const { shownOnly, neutral } = catalogue.measurements.methodMaps;
  const weight = sideOf(input, finding) ?? neutral;
  return {
    method,
    title: capitalised(nameIn(catalogue.findings.methods, method, printable(method, 60))),
    text: printable(statement[language], 600),
    note: capitalised(notJudged.includes(method) ? shownOnly : weight),
  };
}

/** Shown because examiners know it; it takes no part in any verdict. */
const notJudged: readonly string[] = ['error-level'];

/** Models without it have one branch. */
const secondBranchFile = 'votes.onnx';

/** How the figures were obtained: procedure, model, settings and versions. */
export function methodBlocks(input: SectionInput): readonly Block[] {
  const { examination, numbers, catalogue } = input;
  const { model, locator, maps, patchesRead, passes } = examination;
  const steps = catalogue.measurements.method.steps({
    model: wordModel(model),
    cell: `${numbers.count(maps.cellPx)} × ${numbers.count(maps.cellPx)}`,
    patches: numbers.count(patchesRead),
    passes: numbers.count(passes),
  });
  return [
    paragraph(steps),
    ...only(secondBranchFile in model.files, paragraph(catalogue.measurements.method.secondArm)),
    ...(locator === null
      ? []
      : [paragraph(catalogue.measurements.method.changes(wordModel(locator)))]),
    { kind: 'table', rows: methodRows(input) },
  ];
}

function methodRows({
  examination,
  item,
  labels,
  catalogue,
  numbers,
}: SectionInput): readonly Row[] {
  const { rows } = labels;
  const { model, locator, options, passes, patchesRead, decision, environment, facts } =
    examination;
  const { conversions, noConversions, retriesUnknown } = catalogue.measurements.method;
  const modelRows = (label: string, given: ModelIdentity, nameOf: (file: string) => string) => [
    { label, value: wordModel(given) },
    ...Object.entries(given.files).map(([name, digest]) => ({
      label: labels.modelFile(printable(nameOf(name), 60)),
      value: printable(digest),
    })),
  ];
  return [
    ...modelRows(rows.model, model, (name) => name),
    // Both models have a manifest.json.
    ...(locator === null
      ? []
      : modelRows(
          catalogue.measurements.method.locator,
          locator,
          (name) => `${locator.id}/${name}`,
        )),
    { label: rows.strategy, value: catalogue.verdict.strategies[options.decisionStrategy] },
    {
      label: rows.thresholds,
      value: Object.entries(decision.thresholds)
        .map(
          ([name, value]) =>
            `${numbers.plain(value)} ${nameIn(labels.thresholds, name, printable(name, 40))}`,
        )
        .join('\n'),
    },
    // A seed is an identifier to be typed in again, so it stands without groups.
    { label: rows.seed, value: String(options.seed) },
    { label: rows.passes, value: numbers.count(passes) },
    { label: rows.patches, value: numbers.count(patchesRead) },
    {
      label: conversions,
      value: facts.notes.map((each) => labels.notes[each]).join('; ') || noConversions,
    },
    { label: rows.examinedAt, value: writeTime(item.examinedAt) },
    {
      label: rows.retries,
      value: item.retries === undefined ? retriesUnknown : numbers.count(item.retries),
    },
    {
      label: rows.environment,
      value: Object.entries(environment)
        .map(
          ([name, value]) =>
            `${nameIn(labels.environment, name, printable(name, 40))} ${printable(value)}`,
        )
        .join('\n'),
    },
  ];
}

function wordModel({ id, version }: ModelIdentity): string {
  return `${printable(id)} ${printable(version)}`;
}
