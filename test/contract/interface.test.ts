/**
 * The API against its own document: generated requests of every kind for every documented operation. A new route is
 * tested as soon as it is documented. FORENSICS_TEST_SEED varies a run; a failure prints the seed and the smallest
 * failing request. `npm run check:long` sends more of them.
 */

import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { openServer } from '../unit/server/open-server.ts';
import { type Operation, operationsOf } from './interface/document.ts';
import * as judge from './interface/judge.ts';
import { isStranger, requestsFor, type Sent } from './interface/requests.ts';
import { onStage, setStage, type Stage } from './interface/stage.ts';

const casesWanted = Number(process.env['FORENSICS_TEST_REQUESTS'] ?? 1500);
const seed = Number(process.env['FORENSICS_TEST_SEED'] ?? 1337);

const open = await openServer();
const wire = await open.listen();
const operations = operationsOf((await open.server.inject('/v1/schema')).json());
const other = await open.makeTenant('other');
/** How often each status was returned, by operation. */
const seen = new Map(operations.map(({ id }) => [id, new Map<number, number>()]));

afterAll(async () => open.close());

test.each(operations.map((operation) => [operation.id, operation] as const))(
  '%s responds to every request as documented',
  async (id, operation) => {
    const uploads = operation.path.startsWith('/v1/analysis/') ? wire : null;
    let stage = await setStage(open, uploads, other);
    let hasServed = false;
    const everyRequest = fc.asyncProperty(requestsFor(operation), async (sent) => {
      const asked = { ...sent, payload: sent.payload && onStage(sent.payload, stage) };
      const given = await ask(operation, asked, stage);
      count(id, given.status);
      expect(complaint(operation, asked, given)).toBeNull();
      hasServed ||= given.status === 200;
      // A request that succeeded may have used up the fixtures: a tenant renamed, a session ended, an analysis deleted.
      if (operation.method === 'GET' || !hasServed || given.status < 401) return;
      stage = await setStage(open, uploads, other);
      hasServed = false;
    });

    await fc.assert(everyRequest, { seed, numRuns: Math.ceil(casesWanted / operations.length) });
  },
);

test('enough requests were sent, and no operation refused them all', () => {
  const cases = [...seen.values()].flatMap((statuses) => [...statuses.values()]);
  const refused = [...seen].filter(([, statuses]) =>
    [...statuses.keys()].every((status) => status === 400 || status === 403 || status === 415),
  );
  console.info(table());

  expect(cases.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(casesWanted);
  expect(refused).toEqual([]);
  expect([...(seen.get('startAnalysis') ?? []).keys()]).toEqual(
    expect.arrayContaining([200, 404, 409, 422]),
  );
  expect([...(seen.get('retryAnalysis') ?? []).keys()]).toEqual(
    expect.arrayContaining([404, 409, 422]),
  );
});

async function ask(operation: Operation, sent: Sent, stage: Stage): Promise<judge.Given> {
  const { caller, query, headers, payload } = sent;
  const authorization = isStranger(caller) ? stage.foreign[caller] : stage.own[caller];
  const search = new URLSearchParams();
  for (const [name, text] of query) search.append(name, onStage(text, stage));
  const answer = await open.server.inject({
    method: operation.method,
    url: `${operation.path}?${search.toString()}`,
    headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
    ...(payload === null ? {} : { payload }),
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.body };
}

function complaint(operation: Operation, sent: Sent, given: judge.Given): string | null {
  const { status } = given;
  if (isLeaked(operation, sent, given)) return `${sent.caller} got ${status}`;
  if (status === 200 && !judge.allowsBody(operation, parsed(sent.payload))) {
    return 'a body that the document does not allow was taken';
  }
  return judge.complaint(operation, given);
}

/** Whether an outsider got more than a refusal. */
function isLeaked({ schemes }: Operation, { caller }: Sent, { status }: judge.Given): boolean {
  if (schemes.length === 0 || !isStranger(caller) || isRefused(status)) return false;
  // Another tenant's key is still a key: the body is parsed before the tenant in it can be checked.
  return caller !== 'foreign' || ![400, 413, 415].includes(status);
}

function isRefused(status: number): boolean {
  return status === 401 || status === 403;
}

function parsed(payload: string | null): unknown {
  try {
    // A byte order mark may be ignored (RFC 8259, section 8.1), and is here.
    return JSON.parse((payload ?? '').replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

function count(id: string, status: number): void {
  const statuses = seen.get(id);
  statuses?.set(status, (statuses.get(status) ?? 0) + 1);
}

function table(): string {
  const rows = [...seen].map(([id, statuses]) => {
    const counts = [...statuses]
      .toSorted(([a], [b]) => a - b)
      .map(([status, n]) => `${status}: ${n}`);
    return `${id.padEnd(20)} ${counts.join(', ')}`;
  });
  return rows.join('\n');
}
