/**
 * The tasks of the sandbox. A new one is an entry in `tasks` and its function; `createSandbox` makes a verb of each entry.
 */

import type { Examination } from '../engine/result.ts';
import type { PdfContents } from '../image/pdf.ts';
import type { ModelCache } from './model-cache.ts';
import type {
  CompareRequest,
  ExamineRequest,
  Measurement,
  MeasureRequest,
  PdfPartRequest,
  PdfRequest,
  PixelDifference,
  Rendering,
  RenderRequest,
  TaskContext,
  TaskSettings,
} from './requests.ts';

/**
 * What runs in a child process. A request and its result are passed by structured clone. Each file is loaded when its task
 * first comes: a child that only examines never reads the fonts and the PDF writer.
 */
export const tasks = {
  /**
   * @throws {ForensicsError} an `image_*` or `file_*` code for the picture, `model_*` for the model, `invalid_request`
   * for an option, `inference_*` for the child.
   */
  examine: async (request: ExamineRequest, context: TaskContext): Promise<Examination> => {
    const { performExamine } = await import('./examine.ts');
    return performExamine(request, context);
  },
  /**
   * Reads the picture under each condition and decides under every strategy.
   *
   * @throws {ForensicsError} as `examine`.
   */
  measure: async (request: MeasureRequest, context: TaskContext): Promise<Measurement> => {
    const { performMeasure } = await import('./measure.ts');
    return performMeasure(request, context);
  },
  /** @throws {ForensicsError} as `examine`; `image_not_as_declared` for another picture than the one examined. */
  render: async (request: RenderRequest, context: TaskContext): Promise<Rendering> => {
    const { performRender } = await import('./render.ts');
    return performRender(request, context);
  },
  /** @throws {ForensicsError} as `listPdfParts`; `file_*`. */
  listPdfParts: async (request: PdfRequest, context: TaskContext): Promise<PdfContents> => {
    const { performListPdfParts } = await import('./pdf-parts.ts');
    return performListPdfParts(request, context);
  },
  /** @throws {ForensicsError} as `readPdfPart`; `file_*`. */
  readPdfPart: async (request: PdfPartRequest, context: TaskContext): Promise<Uint8Array> => {
    const { performReadPdfPart } = await import('./pdf-parts.ts');
    return performReadPdfPart(request, context);
  },
  /** Null when one of the two is no PNG file, or they differ in size or kind. @throws {ForensicsError} `inference_*`. */
  compare: async (
    request: CompareRequest,
    context: TaskContext,
  ): Promise<PixelDifference | null> => {
    const { performCompare } = await import('./render.ts');
    return performCompare(request, context);
  },
};

export type TaskName = keyof typeof tasks;

/** In the child: performs what the parent's `createSandbox` sent. */
export async function performTask(call: unknown, models: ModelCache): Promise<unknown> {
  if (!isTaskCall(call)) throw new TypeError('The sandbox was sent something that is not a task.');
  return tasks[call.name](call.request, { ...call.settings, models });
}

interface TaskCall {
  readonly name: TaskName;
  /** Fits the task of that name: both ends are this program in the same version. */
  readonly request: never;
  readonly settings: TaskSettings;
}

function isTaskCall(value: unknown): value is TaskCall {
  const isObject = typeof value === 'object' && value !== null;
  return isObject && 'name' in value && String(value.name) in tasks;
}
