/**
 * Tenants take turns. This process does one thing at a time, and a tenant that sends a thousand requests at once must not
 * make another wait for all of them: requests wait in a line for each tenant, and with every round of the event loop the
 * first of the next line begins. What a request waits for once it has begun, such as a store, holds nobody up; only for
 * the connections to PostgreSQL they take turns again.
 */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { setRequester } from '../ports/db/database.ts';
import { createLines } from '../lines.ts';

/** Before requests are authenticated: who sends them is known by what they bring. */
export function tellSenders(server: FastifyInstance): void {
  server.addHook('onRequest', (request, _, done) =>
    setRequester(request.headers.authorization ?? request.ip, done),
  );
}

/** Requests of nobody in particular, such as those for the state of the server, do not wait. */
export function takeTurns(server: FastifyInstance): void {
  const waiting = createLines<() => void>();
  let isTaken = false;

  function nextTurn(): void {
    const begin = waiting.next();
    isTaken = begin !== undefined;
    if (begin === undefined) return;
    setImmediate(nextTurn);
    begin();
  }

  server.addHook('preValidation', (request, _, done) => {
    const name = lineOf(request);
    if (name === null) return done();
    const begin = () => setRequester(name, done);
    if (isTaken) return waiting.add(name, begin);
    isTaken = true;
    setImmediate(nextTurn);
    begin();
  });
}

/** Of a person who acts for several tenants a line of their own. */
function lineOf({ principal }: FastifyRequest): string | null {
  if (principal === null) return null;
  const [tenantId, ...others] = principal.tenantIds;
  return tenantId === undefined || others.length > 0 ? principal.id : tenantId;
}
