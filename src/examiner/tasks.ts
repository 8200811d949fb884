/** The sandbox tasks. To add one, add a function and an entry in `tasks`; the task then becomes a sandbox method. */

import type { ModelCache } from './model-cache.ts';
import type { TaskContext, TaskSettings } from './requests.ts';
import type { PdfPart } from '../image/pdf.ts';
import type { PictureSource } from '../image/picture.ts';

type Examining = typeof import('./examine.ts');
type Rendering = typeof import('./render.ts');

/** What runs in a child process. Modules load with their first task: one that only examines never loads the fonts. */
export const tasks = {
  /**
   * @throws {ForensicsError} `image_*` or `file_*` for the picture, `model_*` for the model, `invalid_request` for an
   *   option, `inference_*` for the child.
   */
  examine: async (...given: Parameters<Examining['performExamine']>) =>
    (await import('./examine.ts')).performExamine(...given),
  /** Decides under each condition and strategy. @throws {ForensicsError} as `examine`. */
  measure: async (...given: Parameters<Examining['performMeasure']>) =>
    (await import('./examine.ts')).performMeasure(...given),
  /** @throws {ForensicsError} as `examine`; `image_not_as_declared` if the picture is not the one examined. */
  render: async (...given: Parameters<Rendering['performRender']>) =>
    (await import('./render.ts')).performRender(...given),
  /** Renders the first page of a picture's report, for the report on its case. @throws {ForensicsError} as `render`. */
  preparePage: async (...given: Parameters<Rendering['performPreparePage']>) =>
    (await import('./render.ts')).performPreparePage(...given),
  /** Renders the PDF report on a case, in each language. @throws {ForensicsError} `inference_*`. */
  renderCase: async (...given: Parameters<Rendering['performRenderCase']>) =>
    (await import('./render.ts')).performRenderCase(...given),
  /** Lays out two pictures side by side, for a report. @throws {ForensicsError} as `examine`, for either picture. */
  layBeside: async (...given: Parameters<Rendering['performLayBeside']>) =>
    (await import('./render.ts')).performLayBeside(...given),
  /** @throws {ForensicsError} as `listPdfParts`; `file_*`. */
  listPdfParts: async ({ source }: { readonly source: PictureSource }, { limits }: TaskContext) => {
    const { listPdfParts } = await import('../image/pdf.ts');
    const { readSource } = await import('./open-picture.ts');
    return listPdfParts(await readSource(source, limits), limits);
  },
  /** @throws {ForensicsError} as `readPdfPart`; `file_*`. */
  readPdfPart: async ({ source, part }: PartRequest, { limits }: TaskContext) => {
    const { readPdfPart } = await import('../image/pdf.ts');
    const { readSource } = await import('./open-picture.ts');
    return readPdfPart(await readSource(source, limits), part, limits);
  },
  /** Null if either is not a PNG file, or if size or type differ. @throws {ForensicsError} `inference_*`. */
  compare: async (...given: Parameters<Rendering['performCompare']>) =>
    (await import('./render.ts')).performCompare(...given),
};

interface PartRequest {
  readonly source: PictureSource;
  readonly part: PdfPart;
}

export type TaskName = keyof typeof tasks;

/** Runs in the child and performs what the parent's `createSandbox` sent. */
export async function performTask(call: unknown, models: ModelCache): Promise<unknown> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both ends are ours, in the same version.
  const { name, request, settings } = call as {
    name: TaskName;
    request: never;
    settings: TaskSettings;
  };
  return tasks[name](request, { ...settings, models });
}
