/**
 * Tenants take turns. This process does one thing at a time, and a tenant that sends a thousand requests at once must not
 * make another wait for all of them: each tenant has its own queue, and with every round of the event loop the next tenant's
 * first request begins. Once begun, a request that waits for something, such as a store, blocks nobody; only for connections
 * to PostgreSQL do tenants take turns again.
 */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createFairQueue } from '../fair-queue.ts';
import { setRequester } from '../ports/db/database.ts';

/** Before requests are authenticated, their credential or address stands for the requester. */
export function setRequesters(server: FastifyInstance): void {
  server.addHook('onRequest', (request, _, done) =>
    setRequester(request.headers.authorization ?? request.ip, done),
  );
}

/** Requests without a principal, such as health checks, do not wait. */
export function takeTurns(server: FastifyInstance): void {
  const waiting = createFairQueue<() => void>();
  let isTaken = false;

  function nextTurn(): void {
    const begin = waiting.next();
    isTaken = begin !== undefined;
    if (begin === undefined) return;
    setImmediate(nextTurn);
    begin();
  }

  server.addHook('preValidation', (request, _, done) => {
    const name = requesterName(request);
    if (name === null) return done();
    const begin = () => setRequester(name, done);
    if (isTaken) return waiting.add(name, begin);
    isTaken = true;
    setImmediate(nextTurn);
    begin();
  });
}

/** The tenant; a person who acts for several tenants queues under their own id. */
function requesterName({ principal }: FastifyRequest): string | null {
  if (principal === null) return null;
  const [tenantId, ...others] = principal.tenantIds;
  return tenantId === undefined || others.length > 0 ? principal.id : tenantId;
}
