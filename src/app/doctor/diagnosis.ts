/** What one look of the doctor found. */

export const states = ['ok', 'warning', 'failed'] as const;
export type State = (typeof states)[number];

export interface Diagnosis {
  /** What was looked at. */
  readonly name: string;
  /** Null for what all tenants share. */
  readonly tenant: string | null;
  readonly state: State;
  /** One sentence. Holds no secret and no signed URL. */
  readonly message: string;
  /** The command or the act that mends it; null when all is well. */
  readonly fix: string | null;
}

export interface Diagnose {
  readonly ok: (message: string) => Diagnosis;
  readonly warning: (message: string, fix: string) => Diagnosis;
  readonly failed: (message: string, fix: string) => Diagnosis;
}

export function diagnose(name: string, tenant: string | null = null): Diagnose {
  const about = { name, tenant };
  return {
    ok: (message) => ({ ...about, state: 'ok', message, fix: null }),
    warning: (message, fix) => ({ ...about, state: 'warning', message, fix }),
    failed: (message, fix) => ({ ...about, state: 'failed', message, fix }),
  };
}

/** Failures that are ours tell in their message what is wrong; of others only the name is safe to show. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'It failed for an unknown reason.';
  if (error.name === 'ForensicsError') return error.message;
  const code = 'code' in error ? String(error.code) : error.name;
  return `It failed (${code}).`;
}
