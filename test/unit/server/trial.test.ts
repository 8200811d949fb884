import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { sceneJpeg } from '../../fixtures/pictures.ts';
import { draft, openListening } from './open-server.ts';

const size = { width: 640, height: 480 };
const shipped = (name: string) =>
  readFileSync(new URL(`../../../src/service/trial/${name}`, import.meta.url));

test('a trial tenant may start both shipped pictures and no other', async () => {
  const open = await openListening();
  onTestFinished(async () => open.close());
  await open.app.core.tenants.update(open.tenant.id, { isTrial: true });
  const startWith = async (picture: Buffer) => {
    const { id, input } = await open.create({ input: { ...draft.input, ...size } });
    const { pathname, search } = new URL(input.storageUrls.putUrl);
    await open.ask({ method: 'PUT', path: pathname + search, body: picture });
    return (await open.as(open.authorization)('POST', '/v1/analysis/start', { id })).status;
  };

  expect(await startWith(shipped('real.jpg'))).toBe(200);
  expect(await startWith(shipped('fake.jpg'))).toBe(200);
  expect(await startWith(await sceneJpeg({ ...size, seed: 3 }))).toBe(422);
});
