/** How the figures were obtained: procedure, model, settings and versions. */

import type { ModelIdentity } from '../../engine/result.ts';
import { writeNotes } from '../notes.ts';
import { writeFigures } from '../presentation.ts';
import { capitalised, nameIn, printable } from '../printable.ts';
import { type Block, heading, only, paragraph, type Row, type SectionInput } from './blocks.ts';
import { isShown, referenceNumbers } from './findings.ts';

/** Models without it have one branch. */
const secondBranchFile = 'votes.onnx';
/** Models with it have a vision transformer. */
const transformerFile = 'transformer.onnx';
/** That read more of a picture than its patches; an examination does not record it. */
const modelsWithViews: ReadonlySet<string> = new Set(['trace-2', 'trace-3']);

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
    ...only(modelsWithViews.has(model.id), paragraph(catalogue.measurements.method.views)),
    ...only(transformerFile in model.files, paragraph(catalogue.measurements.method.transformer)),
    ...(locator === null
      ? []
      : [paragraph(catalogue.measurements.method.changes(wordModel(locator)))]),
    ...only(examination.manipulation !== null, { kind: 'list', items: mapNotes(input) }),
    { kind: 'table', rows: methodRows(input) },
    ...sourceBlocks(input),
  ];
}

/** How changed parts enter into two of the heatmaps. */
function mapNotes({ labels, catalogue }: SectionInput): readonly string[] {
  const { fake, anomaly } = catalogue.measurements.heatmap.changes;
  return [`${labels.maps.fake}: ${fake}`, `${labels.maps.anomaly}: ${anomaly}`];
}

function sourceBlocks({ evidence, catalogue, item }: SectionInput): readonly Block[] {
  const { methods, sources } = catalogue.findings;
  // The others are cited by the number of their reference.
  const own = evidence.findings.filter(
    ({ method }) => referenceNumbers(method).length === 0 && isShown(method, item),
  );
  const rows = own.map(({ method, source }) => ({
    cells: [
      capitalised(nameIn(methods, method, printable(method, 60))),
      nameIn(sources, source, printable(source, 400)),
    ],
  }));
  const columns = [
    { title: '', share: 0.25 },
    { title: '', share: 0.75 },
  ];
  return only(rows.length > 0, heading(catalogue.measurements.method.sourcesTitle), {
    kind: 'grid',
    columns,
    rows,
  });
}

function methodRows({
  examination,
  item,
  labels,
  catalogue,
  numbers,
  language,
  result,
}: SectionInput): readonly Row[] {
  const { rows } = labels;
  const { generated, changed } = writeFigures(result, language);
  const shown: Readonly<Record<string, string | undefined>> = {
    realMax: generated?.limits?.[0],
    fakeMin: generated?.limits?.[1],
    suspectedMin: changed?.limits?.[0],
    manipulatedMin: changed?.limits?.[1],
  };
  // As on the first page, where it names the limit.
  const writeLimit = (name: string, value: number) => shown[name] ?? numbers.score(value);
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
            `${writeLimit(name, value)} ${nameIn(labels.thresholds, name, printable(name, 40))}`,
        )
        .join('\n'),
    },
    // A seed is an identifier to be typed in again, so it stands without groups.
    { label: rows.seed, value: String(options.seed) },
    { label: rows.passes, value: numbers.count(passes) },
    { label: rows.patches, value: numbers.count(patchesRead) },
    {
      label: conversions,
      value: writeNotes(facts, language).join('; ') || noConversions,
    },
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
        .join('; '),
    },
  ];
}

function wordModel({ id, version }: ModelIdentity): string {
  return `${printable(id)} ${printable(version)}`;
}
