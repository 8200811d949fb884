import { describe, expect, test } from 'vitest';
import { parseEntry } from '../../../src/service/audit/entry.ts';
import type { LegalHold } from '../../../src/contract/tenant.ts';
import type { CustodyStep } from '../../../src/contract/verification.ts';
import { draft, listeningForFile } from './open-server.ts';

const path = '/v1/tenant/hold';

const open = await listeningForFile();
const { user, tokens } = await open.makeUser('manager', {
  tenants: [open.tenant],
  scopes: ['settings'],
});
const asManager = open.as(`Bearer ${tokens.accessToken}`);
const managerId = user.id;

const ask = async (method: 'POST' | 'DELETE', body: object = {}) => asManager(method, path, body);
const list = async () => (await asManager('GET', path)).data<LegalHold[]>();

describe('legal holds over HTTP', () => {
  test('are placed, listed and lifted, and the log names the person', async () => {
    const { id: analysisId } = await open.create();

    const placed = await ask('POST', { analysisId, reason: 'file 12/26' });
    const again = await ask('POST', { analysisId, reason: 'once more' });
    const listed = await list();
    const lifted = await ask('DELETE', { analysisId });
    const twice = await ask('DELETE', { analysisId });

    expect(placed.json()).toEqual({
      success: true,
      data: {
        analysisId,
        analysisName: draft.name,
        reason: 'file 12/26',
        createdDate: expect.any(String),
        createdByUserId: managerId,
        createdByUserName: 'manager',
      },
    });
    expect(listed).toEqual([placed.data()]);
    expect([again, lifted, twice].map(({ status }) => status)).toEqual([409, 200, 404]);
    expect(await list()).toEqual([]);
    const lines = await open.app.core.audit.read({ chain: open.tenant.id, subject: analysisId });
    const actor = { type: 'user', id: managerId };
    expect(lines.map(parseEntry).slice(1)).toMatchObject([
      { event: 'hold.added', actor },
      { event: 'hold.removed', actor },
    ]);
  });

  test('on all analyses need only a reason', async () => {
    const without = await ask('POST');
    const placed = await ask('POST', { reason: 'file 13/26' });

    expect([without.status, placed.status]).toEqual([400, 200]);
    expect(await list()).toMatchObject([
      { analysisId: null, analysisName: null, reason: 'file 13/26' },
    ]);
    expect((await ask('DELETE')).status).toBe(200);
  });

  test('of the operator are visible but cannot be lifted, even if they replace a user’s', async () => {
    const { id: analysisId } = await open.create();
    const held = { tenantId: open.tenant.id, analysisId };
    await ask('POST', { analysisId, reason: 'ours' });

    await open.app.core.holds.add({ ...held, reason: 'order of the court' });
    const refused = await ask('DELETE', { analysisId });

    expect(refused.status).toBe(409);
    expect(refused.json()['message']).toContain('administrator of the service');
    expect(await list()).toMatchObject([{ reason: 'order of the court', createdByUserId: null }]);
    await open.app.core.holds.remove(held);
    expect(await list()).toEqual([]);
  });

  test('the chain of custody names the key that acted and its id', async () => {
    const { id } = await open.create();

    const answer = await asManager('GET', `/v1/analysis/custody?id=${id}`);

    const steps = answer.data<CustodyStep[]>();
    expect(steps).toMatchObject([{ event: 'created', actorName: 'test' }]);
    expect(steps[0]!.actor).toMatch(/^api key [0-9a-f-]{36}$/);
  });
});
