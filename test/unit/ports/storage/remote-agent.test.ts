import { get } from 'node:http';
import { expect, test } from 'vitest';
import { createAgent } from '../../../../src/ports/storage/remote/http-agent.ts';
import { babbles, startScripted } from './scripted-store.ts';

// Whoever drains an answer, so that its connection can be used again, shall not drain for ever.
test('a connection is closed if a response never ends', async () => {
  const server = await startScripted(babbles(403));
  const agent = createAgent(false, { maxObjectBytes: 1000 });

  const failure = new Promise<Error>((resolve) => {
    get(server.origin, { agent }, (answer) => answer.resume()).once('error', resolve);
  });

  expect((await failure).message).toBe('An endless answer.');
  await server.close();
});
