import { get, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createAgent } from '../../../src/blobs/remote/agent.ts';
import { babbles, startScripted } from './scripted-store.ts';

// Azure's library reads every refusal whole, and would end the process with a text of half a gigabyte.
test('a connection ends when an answer does not', async () => {
  const server = await startScripted(babbles);
  const agent = createAgent(false, { maxObjectBytes: 1000 });
  const answer = await new Promise<IncomingMessage>((resolve) => {
    get(server.origin, { agent }, resolve);
  });

  const reading = countBytes(answer);

  await expect(reading).rejects.toMatchObject({ code: 'ECONNRESET' });
  await server.close();
});

async function countBytes(answer: AsyncIterable<Buffer>): Promise<number> {
  let size = 0;
  for await (const part of answer) size += part.length;
  return size;
}
