import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Call {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers each request with the next of these statuses, and further ones with the last. */
export function answering(...statuses: readonly number[]) {
  let count = 0;
  return (response: ServerResponse): void => {
    response.statusCode = statuses[count++] ?? statuses.at(-1)!;
    response.end();
  };
}

/** A real receiver on loopback; `answer` is called for each request, after its body was read. */
export async function startReceiver(
  answer: (response: ServerResponse, call: Call) => void = (response) => response.end(),
) {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url: path, headers } = request;
      const call = { method, path, headers, body: Buffer.concat(chunks).toString() };
      calls.push(call);
      answer(response, call);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a listening TCP server has this kind of address
  const { port } = server.address() as AddressInfo;
  return { calls, port, url: `http://127.0.0.1:${port}/hook` };
}
