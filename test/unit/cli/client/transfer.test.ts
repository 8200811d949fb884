import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Agent, type Dispatcher } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectionsUnder } from '../../../../src/cli/client/api.ts';
import { openConnection } from '../../../../src/cli/client/analyses.ts';
import type { Pace } from '../../../../src/waiting.ts';
import { listen } from '../../../fixtures/listen.ts';
import { refusal } from '../../../fixtures/refusal.ts';
import { steppedPace } from './stepped-pace.ts';
import { authorityPem, leaf, newAuthority, newLeaf, openTlsServer } from './tls-server.ts';

const { signal: never } = new AbortController();
const bytes = Buffer.alloc(2_000_000, 'a picture');

/** A store over TLS, and a transfer for a client of `serverUrl`, by default the store itself. */
async function openStore(listener: RequestListener, serverUrl?: string, pace?: Pace) {
  const { url } = await openTlsServer(leaf, [], listener);
  const transfer = await openTransfer(serverUrl ?? url, connectionsUnder(authorityPem), pace);
  return { url, transfer };
}

const accept = async () => Object({});

/** Of a connection to a server that accepts every request. */
async function openTransfer(url: string, dispatcher: Dispatcher, pace?: Pace) {
  const requests = { request: accept, download: accept, close: () => dispatcher.destroy() };
  const api = { url: new URL(url), dispatcher, ...requests };
  const { transfer, close } = await openConnection(api, 'acme', pace);
  onTestFinished(close);
  return transfer;
}

const plainServer = async (listener: RequestListener) =>
  `http://127.0.0.1:${await listen(createServer(listener))}`;

/** A listener that accepts uploads and records them. */
function recordUploads() {
  const uploads: { headers: IncomingMessage['headers']; body: Buffer }[] = [];
  const listener: RequestListener = (request, response) => {
    void buffer(request).then((body) => {
      uploads.push({ headers: request.headers, body });
      response.end();
    });
  };
  return { uploads, listener };
}

const xml = (code: string, message: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;

const outOfTime = 'Signature not valid in the specified time frame: Start';

describe('an upload', () => {
  test('arrives whole, with its length, no Authorization header, and a blob type only for Azure', async () => {
    const { uploads, listener } = recordUploads();
    const { url, transfer } = await openStore(listener);

    await transfer.upload({ type: 's3', putUrl: `${url}/a?signature=b` }, bytes, never);
    await transfer.upload({ type: 'azure', putUrl: `${url}/a` }, bytes, never);

    const [{ headers, body }, toAzure] = [uploads[0]!, uploads[1]!];
    expect(body.equals(bytes)).toBe(true);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('x-ms-blob-type');
    expect(toAzure.headers).toMatchObject({ 'x-ms-blob-type': 'BlockBlob' });
  });

  test('to a host other than the server trusts the same authority', async () => {
    const { uploads, listener } = recordUploads();
    const { url, transfer } = await openStore(listener, 'https://forensics.example');

    await transfer.upload({ type: 's3', putUrl: `${url}/a` }, bytes, never);

    expect(uploads).toHaveLength(1);
  });

  test('is not sent to a store with an untrusted certificate', async () => {
    const { uploads, listener } = recordUploads();
    const stranger = await newLeaf(await newAuthority('somebody else'));
    const { url } = await openTlsServer(stranger, [], listener);
    const { transfer } = await openStore(listener);

    const sending = transfer.upload({ type: 's3', putUrl: `${url}/a` }, bytes, never);

    await expect(sending).rejects.toMatchObject({ code: 'server_untrusted' });
    expect(uploads).toEqual([]);
  });

  test('is sent again after a broken connection or a busy store', async () => {
    const { uploads, listener } = recordUploads();
    let calls = 0;
    const { url, transfer } = await openStore((request, response) => {
      calls++;
      if (calls === 1) return request.socket.destroy();
      if (calls === 2) return response.writeHead(503).end(xml('SlowDown', 'Reduce your rate.'));
      return listener(request, response);
    });

    await transfer.upload({ type: 's3', putUrl: `${url}/a` }, bytes, never);

    expect(uploads.map(({ body }) => body.length)).toEqual([bytes.length]);
  });

  test('waits for a restarting store', async () => {
    const { uploads, listener } = recordUploads();
    const { pace, waits } = steppedPace();
    let calls = 0;
    const restarted: RequestListener = (request, response) =>
      calls++ < 9 ? request.socket.destroy() : listener(request, response);
    const { url, transfer } = await openStore(restarted, undefined, pace);

    await transfer.upload({ type: 's3', putUrl: `${url}/a` }, bytes, never);

    expect(uploads).toHaveLength(1);
    expect(Math.max(...waits)).toBe(5000);
  });

  test.for([
    [403, xml('AccessDenied', 'Request has expired.'), 'url_expired'],
    [400, xml('ExpiredToken', 'The provided token is too old.'), 'url_expired'],
    [403, xml('AuthenticationFailed', outOfTime), 'url_expired'],
    [403, xml('RequestTimeTooSkewed', 'The difference is too large.'), 'store_refused'],
    [403, xml('SignatureDoesNotMatch', 'Check your key.'), 'store_refused'],
    [413, xml('EntityTooLarge', 'Too large.'), 'blob_too_large'],
    [400, xml('EntityTooLarge', 'Too large.'), 'blob_too_large'],
    [507, xml('InsufficientStorage', 'Used up.'), 'no_space_left', 'no space left: Used up.'],
    [404, xml('NoSuchBucket', 'No such bucket.'), 'blob_not_found'],
    [403, '<html>a proxy says no</html>', 'store_refused'],
  ] as const)('answered %i with %s fails with %s', async ([status, body, code, message = '']) => {
    const { url, transfer } = await openStore((_request, response) => {
      // Sent before the body has arrived: the rest of the upload must not hide the answer.
      response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
    });

    const sending = transfer.upload({ type: 's3', putUrl: `${url}/a` }, bytes, never);

    await expect(sending).rejects.toEqual(refusal(code, message));
  });

  test('fails with the signal’s reason', async () => {
    const { url, transfer } = await openStore(() => undefined);
    const controller = new AbortController();
    const reason = new Error('enough');

    const sending = transfer.upload({ type: 's3', putUrl: `${url}/a` }, bytes, controller.signal);
    controller.abort(reason);

    await expect(sending).rejects.toBe(reason);
  });
});

describe('a download', () => {
  test('does not follow a redirect to another host', async () => {
    let requests = 0;
    const plain = await plainServer((_request, response) => {
      requests++;
      response.end('x');
    });
    const { url, transfer } = await openStore((_request, response) => {
      response.writeHead(302, { location: `${plain}/there` }).end();
    });

    const fetching = transfer.download(`${url}/here`, 1e7, never);

    await expect(fetching).rejects.toMatchObject({ code: 'store_refused' });
    expect(requests).toBe(0);
  });

  test('that is cut off half-way is fetched again', async () => {
    let calls = 0;
    const { url, transfer } = await openStore((_request, response) => {
      calls++;
      if (calls > 1) return response.end(bytes);
      response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 1000));
      return response.socket?.destroySoon();
    });

    const fetched = await transfer.download(`${url}/a`, 1e7, never);

    expect([calls, fetched.length]).toEqual([2, bytes.length]);
  });

  test('larger than its limit is refused', async () => {
    const { url, transfer } = await openStore((_request, response) => response.end(bytes));

    const fetching = transfer.download(`${url}/a`, 1000, never);

    await expect(fetching).rejects.toEqual(refusal('blob_too_large'));
  });
});

test('an upload to a plain HTTP store succeeds', async () => {
  const { uploads, listener } = recordUploads();
  const plain = await plainServer(listener);
  const transfer = await openTransfer('https://forensics.example', new Agent());

  await transfer.upload({ type: 's3', putUrl: `${plain}/a` }, bytes, never);

  expect(uploads).toHaveLength(1);
});
