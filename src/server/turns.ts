/**
 * Tenants take turns. This process does one thing at a time, and a tenant that sends a thousand requests at once must not
 * make another wait for all of them: requests wait in a line for each tenant, and with every round of the event loop the
 * first of the next line begins. What a request waits for once it has begun, such as a store, holds nobody up.
 */

import type { FastifyInstance, FastifyRequest } from 'fastify';

type Begin = () => void;

/** Requests of nobody in particular, such as those for the state of the server, do not wait. */
export function takeTurns(server: FastifyInstance): void {
  /** The line that comes next stands first; one that is empty is left out. */
  const lines = new Map<string, Begin[]>();
  let isTaken = false;

  function nextTurn(): void {
    const [next] = lines;
    isTaken = next !== undefined;
    if (next === undefined) return;
    setImmediate(nextTurn);
    const [name, line] = next;
    const begin = line.shift();
    lines.delete(name);
    if (line.length > 0) lines.set(name, line);
    begin?.();
  }

  server.addHook('preValidation', async (request) => {
    const name = lineOf(request);
    if (name === null) return;
    if (!isTaken) {
      isTaken = true;
      setImmediate(nextTurn);
      return;
    }
    await new Promise<void>((resolve) => {
      const line = lines.get(name);
      if (line === undefined) lines.set(name, [resolve]);
      else line.push(resolve);
    });
  });
}

/** Of a person who acts for several tenants a line of their own. */
function lineOf({ principal }: FastifyRequest): string | null {
  if (principal === null) return null;
  const [tenantId, ...others] = principal.tenantIds;
  return tenantId === undefined || others.length > 0 ? principal.id : tenantId;
}
