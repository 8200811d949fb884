/** Azurite, Microsoft's emulator of Azure storage, as a child process over HTTPS on loopback. */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Agent } from 'undici';
import { newFolder } from '../../../fixtures/folder.ts';
import { createAzureStore } from '../../../../src/ports/storage/azure/azure.ts';
import type { RemoteStore } from '../../../../src/ports/storage/store.ts';
import { makeCertificate } from '../../../fixtures/certificate.ts';

export interface Azurite {
  readonly connectionString: string;
  readonly ca: string;
  /** Trusts the server's certificate. */
  readonly dispatcher: Agent;
  storeOf(
    containerName: string,
    settings?: Partial<Parameters<typeof createAzureStore>[1]>,
  ): RemoteStore;
  close(): Promise<void>;
}

const main = join(
  dirname(createRequire(import.meta.url).resolve('azurite/package.json')),
  'dist/src/blob/main.js',
);

export async function startAzurite(): Promise<Azurite> {
  const { ca, cert, key } = await makeCertificate();
  const accountKey = randomBytes(64).toString('base64');
  const folder = newFolder();
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  const options = ['--blobHost', '127.0.0.1', '--blobPort', '0', '--cert', 'cert.pem'];
  const modes = ['--inMemoryPersistence', '--skipApiVersionCheck', '--disableTelemetry'];
  const child = spawn(process.execPath, [main, ...options, '--key', 'key.pem', ...modes], {
    cwd: folder,
    env: { AZURITE_ACCOUNTS: `tester:${accountKey}` },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const origin = await readOrigin(child.stdout);
  const connectionString = `AccountName=tester;AccountKey=${accountKey};BlobEndpoint=${origin}/tester;`;
  const dispatcher = new Agent({ connect: { ca }, allowH2: false });

  return {
    connectionString,
    ca,
    dispatcher,
    storeOf: (containerName, settings = {}) =>
      createAzureStore(
        { containerName, connectionString },
        { expirySeconds: 604_800, ca, ...settings },
      ),
    async close() {
      await dispatcher.destroy();
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
      rmSync(folder, { recursive: true });
    },
  };
}

/** @throws {Error} when the process ends before it listens. */
async function readOrigin(stdout: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: stdout });
  for await (const line of lines) {
    const origin = /listens on (https:\/\/\S+)/.exec(line)?.[1];
    if (origin === undefined) continue;
    // Drain its access log: a full pipe would stop it.
    stdout.resume();
    return origin;
  }
  throw new Error('Azurite ended before it listened.');
}
