/** How long a store on somebody else's machine may take. */
export interface Timeouts {
  /** Until the connection stands, TLS included. */
  readonly connectMs: number;
  /** Without a single byte in either direction. */
  readonly idleMs: number;
  /** One request from its first byte to the last of its answer: who sends a byte now and then is not idle. */
  readonly totalMs: number;
  /** Before the first repetition; doubles with each. */
  readonly retryDelayMs: number;
}

export class StoreTimeout extends Error {
  override readonly name = 'StoreTimeout';
  readonly code = 'ETIMEDOUT';
}

export const defaultTimeouts: Timeouts = {
  connectMs: 5000,
  idleMs: 30_000,
  // 50 MiB at 7 Mbit/s.
  totalMs: 60_000,
  retryDelayMs: 200,
};
