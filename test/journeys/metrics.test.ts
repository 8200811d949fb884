import { createInterface } from 'node:readline';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { newDataDir, spawnServe } from './serving.ts';

test('serve exposes metrics on a separate address', async () => {
  const args = ['--json', '--data-dir', newDataDir(), '--port', '0', '--workers', '1'];
  const child = spawnServe(args, { FORENSICS_METRICS_ADDRESS: '127.0.0.1:0' });
  const lines = createInterface({ input: child.stderr });
  const port = await new Promise<number>((resolve) => {
    lines.on('line', (line) => {
      if (line.includes('metrics are served')) resolve(Number(JSON.parse(line).port));
    });
  });
  const answer = await request(`http://127.0.0.1:${port}/metrics`);
  const text = await answer.body.text();
  child.kill('SIGTERM');
  const { exitCode } = await child;

  expect(answer.statusCode).toBe(200);
  expect(text).toMatch(/^forensics_jobs\{kind="analysis\.run"\} 0$/m);
  expect(text).toMatch(/^forensics_certificate_end_timestamp_seconds \d+$/m);
  expect(exitCode).toBe(0);
});
