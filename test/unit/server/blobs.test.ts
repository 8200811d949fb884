import { expect, onTestFinished, test } from 'vitest';
import type { Analysis } from '../../../src/contract/analysis.ts';
import { sceneJpeg } from '../../fixtures/pictures.ts';
import { draft, type Listening, openListening } from './open-server.ts';

async function openWith(flags: Record<string, string> = {}): Promise<Listening> {
  const open = await openListening({ flags });
  onTestFinished(() => open.close());
  return open;
}

interface Made {
  readonly id: string;
  readonly putPath: string;
  readonly deletePath: string;
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

async function createAnalysis({ askWithKey }: Listening): Promise<Made> {
  const created = await askWithKey({ method: 'POST', path: '/v1/analysis', body: draft });
  const [made] = created.json<{ data: Analysis[] }>().data;
  const { putUrl, deleteUrl } = made!.input.storageUrls;
  return { id: made!.id, putPath: pathOf(putUrl), deletePath: pathOf(deleteUrl) };
}

test('a tenant stays within its quota, and an analysis can start once there is room', async () => {
  const picture = await sceneJpeg({ width: 640, height: 480, seed: 3 });
  const tenantQuotaBytes = String(Math.round(2.5 * picture.length));
  const open = await openWith({ tenantQuotaBytes });
  const [one, two] = [await createAnalysis(open), await createAnalysis(open)];
  const put = async (path: string) => {
    const { status, body } = await open.ask({ method: 'PUT', path, body: picture });
    return [status, body.toString().includes(`quota of this tenant, ${tenantQuotaBytes} bytes`)];
  };
  const start = async () => {
    const body = { id: one.id, tenantName: 'acme' };
    const answer = await open.askWithKey({ method: 'POST', path: '/v1/analysis/start', body });
    return [answer.status, answer.headers['x-error-code']];
  };

  expect([await put(one.putPath), await put(two.putPath)]).toEqual([
    [200, false],
    [200, false],
  ]);
  expect(await put(one.putPath)).toEqual([507, true]);
  // The copy that is kept as evidence needs its own room.
  expect(await start()).toEqual([507, 'no_space_left']);

  await open.ask({ method: 'DELETE', path: two.deletePath });
  expect((await start())[0]).toBe(200);
});
