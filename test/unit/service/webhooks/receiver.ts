import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import * as journeys from '../../../journeys/receiver.ts';

/** Answers each request with the next of these statuses, and further ones with the last. */
export function answering(...statuses: readonly number[]) {
  let count = 0;
  return (response: ServerResponse): void => {
    response.statusCode = statuses[count++] ?? statuses.at(-1)!;
    response.end();
  };
}

/** A receiver that is closed when the test has finished. */
export async function startReceiver(...given: Parameters<typeof journeys.startReceiver>) {
  const receiver = await journeys.startReceiver(...given);
  onTestFinished(() => receiver.close());
  return receiver;
}
