/** What was measured and how: the figures in sentences, the heatmaps and the method. */
export const measurements = {
  forensic: {
    item: ({ name, facts, sha256 }: Record<'name' | 'facts' | 'sha256', string>) =>
      `Item examined: “${name}”, ${facts}, SHA-256 checksum ${sha256}.`,
    method: ({ model, patches, passes }: Record<'model' | 'patches' | 'passes', string>) =>
      `Patches read with the model ${model}: ${patches}, each in ${passes} Monte Carlo passes.`,
    findings: 'Findings, strongest first:',
    skipped: (methods: string) => `Without a finding: ${methods}.`,
  },
  heatmap: {
    intro: {
      what: 'The heatmaps show where in the picture the methods responded, and how strongly. They do not show that anything was changed there.',
      scale:
        'The scale runs from 0 (dark blue) through magenta and orange to 1 (pale yellow) and is the same for every picture.',
      cells: (cellPx: string) =>
        `Each value describes a cell of ${cellPx} × ${cellPx} pixels together with its surroundings; between cells, the values are interpolated.`,
      caution:
        'A single bright area is not evidence by itself: edges of objects, reflections, text and uniform areas can cause one too.',
    },
    asStored:
      'The heatmap files show the picture as its pixels are stored; this report shows it, and describes places in it, rotated according to EXIF.',
    map: {
      real: {
        meaning: 'How much each area resembles areas in genuine photographs.',
        caution:
          'A low value is no sign of a change: dark, overexposed or very smooth areas contain few such traces.',
      },
      fake: {
        meaning: 'How much each area resembles areas in generated or altered pictures.',
        caution: 'The outline of a bright area is not the outline of a change.',
      },
      compression: {
        meaning: 'How strongly each area was compressed or re-saved.',
        caution: 'Compression is common and harmless; it limits what the other heatmaps can show.',
      },
      anomaly: {
        meaning: 'How far each area deviates from the pictures that the model has learned from.',
        caution: 'Unusual does not mean altered: rare subjects and devices deviate as well.',
      },
    },
    changes: {
      fake: 'Each place shows the higher of two values: traces of generation, scaled down if the whole picture is unlikely to have been generated; and what the methods that look for changed parts mark, scaled down if little indicates a change.',
      anomaly:
        'The value also rises where the methods that look for changed parts find a place that differs from the rest of the picture, and more so the more likely a change is.',
    },
    peak: (map: Record<'mean' | 'highest' | 'place' | 'share', string>) =>
      `Mean ${map.mean}; highest value ${map.highest}, ${map.place}; ${map.share} of the area lies above 0.5.`,
    even: (mean: string) =>
      `Mean ${mean}; the values are even across the picture, and no area stands out.`,
  },
  results: {
    outside:
      'Judging by its traces, the picture lies outside the range for which the method was validated. The values are recorded so that the examination can be repeated; they say nothing about the picture.',
    stabilityTitle: 'Stability',
    stabilityColumns: ['The picture was', 'Probability of generation', 'The traces are then'],
    stabilityOther: (least: string) =>
      `The traces count as pointing to the other side if its probability is at least ${least}. That removes the grounds for a decision, but may not be enough for the opposite one.`,
    stabilityMissing:
      'Stability was not tested in this examination; it is tested only when the traces of the whole picture lead to a decision.',
    /** For pictures that are never called changed, because they are too small or damaged. */
    suspectedLimit: (p: string, suspected: string) =>
      `${p}; suspected from ${suspected}, never called changed (small or damaged picture)`,
    changeLimits: (p: string, suspected: string, changed: string) =>
      `${p}; suspected from ${suspected}, called changed from ${changed}`,
    limits: (p: string, low: string, high: string) =>
      `${p}; called a photograph up to ${low}, generated from ${high}`,
  },
  method: {
    steps: (run: Record<'model' | 'cell' | 'patches' | 'passes', string>) =>
      `The file was decoded once, to 8-bit RGB. The trained network ${run.model} looked for traces of cameras and of generators, which the heatmaps show in cells of ${run.cell} pixels, each judged with its surroundings; between cells, the values are interpolated. The figures for the picture come from its most textured patches (${run.patches} of them), since flat areas contain hardly any traces. They were assessed in ${run.passes} passes, in each of which a random part of the features was left out (Monte Carlo dropout); the spread over the passes is the stated uncertainty. The strategy determines whether a decision is made, never which one.`,
    views:
      'The model also assessed the picture as a whole, at 384 pixels on its longer side. For pictures above 1.2 megapixels, it took its patches and heatmaps from a copy scaled down to that size, and also examined eight squares of the picture’s original pixels; all of these count towards the result.',
    transformer:
      'A vision transformer, part of the model, assessed the whole picture at 224 × 224 pixels and the most textured square of its own pixels; its log odds are added to those of the patches. It also tells photographs from drawings, diagrams, renderings, screenshots and pages of text.',
    changes: (model: string) =>
      `A second network, ${model}, looked for parts that were processed differently from the rest of the picture; what it found was combined with methods that need no training, each of which is listed with its finding.`,
    locator: 'Localisation model',
    conversions: 'Conversions while reading',
    noConversions: 'none; the pixels were examined as decoded',
    sourcesTitle: 'What the other methods are based on',
    retriesUnknown: 'not recorded',
  },
  shownOnly: 'shown only, not used for the verdict',
};
