import type { ErrorCode } from '../errors.ts';

/** What a child of the pool says to its parent. */
export type ChildMessage =
  | { readonly kind: 'begun' }
  | { readonly kind: 'answer'; readonly answer: unknown }
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      readonly message: string;
      /** Stack of an error that was not foreseen, for the log; null for a foreseen one. */
      readonly detail: string | null;
    };

export function isChildMessage(value: unknown): value is ChildMessage {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** What a parent says to a child. */
export interface TaskMessage {
  readonly task: unknown;
}

export function isTaskMessage(value: unknown): value is TaskMessage {
  return typeof value === 'object' && value !== null && 'task' in value;
}

export interface WatchdogLimits {
  readonly memoryLimitBytes: number;
  readonly parentPid: number;
}

/** Written to stderr by the watchdog before it ends a child that uses too much memory. */
export const memoryMarker = 'forensics-child-memory-limit';
