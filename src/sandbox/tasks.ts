/** What the sandbox asks of its children; both ends are ours and always of the same version. */

import type { Examination } from '../engine/result.ts';
import type { Limits } from '../image/picture.ts';
import type {
  ExamineRequest,
  Measurement,
  MeasureRequest,
  PixelDifference,
  Rendering,
  RenderRequest,
} from './sandbox.ts';

export interface ChildSettings {
  /** A folder of further models, or null. */
  readonly modelsDir: string | null;
  readonly limits: Limits;
  /** PEM certificates of trusted signers of content credentials, or null. */
  readonly trustList: string | null;
}

export interface SandboxTask {
  readonly settings: ChildSettings;
  readonly order:
    | { readonly kind: 'examine'; readonly request: ExamineRequest }
    | { readonly kind: 'render'; readonly request: RenderRequest }
    | { readonly kind: 'measure'; readonly request: MeasureRequest }
    | { readonly kind: 'compare'; readonly one: Uint8Array; readonly other: Uint8Array };
}

export type SandboxAnswer =
  | { readonly kind: 'examine'; readonly examination: Examination }
  | { readonly kind: 'render'; readonly rendering: Rendering }
  | { readonly kind: 'measure'; readonly measurement: Measurement }
  | { readonly kind: 'compare'; readonly difference: PixelDifference | null };

export function isSandboxTask(value: unknown): value is SandboxTask {
  return typeof value === 'object' && value !== null && 'order' in value && 'settings' in value;
}

export function isSandboxAnswer(value: unknown): value is SandboxAnswer {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
