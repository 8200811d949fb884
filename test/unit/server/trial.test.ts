import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { Analysis } from '../../../src/contract/analysis.ts';
import { sceneJpeg } from '../../fixtures/pictures.ts';
import { draft, openListening } from './open-server.ts';

const size = { width: 640, height: 480 };
const shipped = (name: string) =>
  readFileSync(new URL(`../../../src/service/trial/${name}`, import.meta.url));

test('a trial tenant may start both shipped pictures and no other', async () => {
  const open = await openListening();
  onTestFinished(async () => open.close());
  const { ask, askWithKey } = open;
  await open.app.core.tenants.update(open.tenant.id, { isTrial: true });
  const startWith = async (picture: Buffer) => {
    const body = { ...draft, input: { ...draft.input, ...size } };
    const created = await askWithKey({ method: 'POST', path: '/v1/analysis', body });
    const [made] = created.json<{ data: Analysis[] }>().data;
    const { pathname, search } = new URL(made!.input.storageUrls.putUrl);
    await ask({ method: 'PUT', path: pathname + search, body: picture });
    const start = { id: made!.id, tenantName: 'acme' };
    const answer = await askWithKey({ method: 'POST', path: '/v1/analysis/start', body: start });
    return answer.status;
  };

  expect(await startWith(shipped('real.jpg'))).toBe(200);
  expect(await startWith(shipped('fake.jpg'))).toBe(200);
  expect(await startWith(await sceneJpeg({ ...size, seed: 3 }))).toBe(422);
});
