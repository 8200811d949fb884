import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operationsOf } from '../contract/interface/document.ts';
import { newDataDir, type Serving, startServing } from '../journeys/serving.ts';
import { blockNamed, readManual } from './manual.ts';

const dataDir = newDataDir();
let serving: Serving;

beforeAll(async () => {
  serving = await startServing(dataDir);
});

afterAll(async () => {
  await serving.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
});

test('the table of operations names those of the interface document, and no other', async () => {
  const answer = await serving.ask({ method: 'GET', path: '/v1/schema' });
  const documented = operationsOf(answer.json()).map(({ method, path }) => `${method} ${path}`);

  expect(operationsOfManual().toSorted()).toEqual(documented.toSorted());
});

test('the health check of the container knows a server that works from none', async () => {
  const ofWorking = await runHealthCheck(serving.ready.url);
  const ofNone = await runHealthCheck('https://127.0.0.1:1');

  expect([ofWorking, ofNone]).toEqual([0, 1]);
});

/** `GET PUT /v1/tenant` is two; a word without a method has that of the one before it, and its folder. */
function operationsOfManual(): readonly string[] {
  const rows = [...readManual().matchAll(/^\| ((?:`[A-Z ]*\/?[a-z][^`]*`(?:, )?)+) \|/gm)];
  return rows
    .map(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code))
    .filter(([first = '']) => /^[A-Z ]+ \/v1\//.test(first))
    .flatMap((codes) => codes.flatMap((code) => operationsIn(code, codes[0]!)));
}

function operationsIn(code: string, first: string): readonly string[] {
  const words = code.split(' ');
  const path = words.pop()!;
  const firstWords = first.split(' ');
  const firstPath = firstWords.pop()!;
  const methods = words.length === 0 ? firstWords : words;
  const whole = path.startsWith('/') ? path : `${dirname(firstPath)}/${path}`;
  return methods.map((method) => `${method} ${whole}`);
}

async function runHealthCheck(url: string): Promise<number | null> {
  const { text } = blockNamed(readManual(), 'container');
  const command = /^HEALTHCHECK .*?CMD ((?:.*\\\n)*.*)$/m.exec(text)?.[1] ?? 'exit 99';
  const here = command.replaceAll('/data/', `${dataDir}/`).replace('https://127.0.0.1:8443', url);
  const child = spawn('sh', ['-c', here], {
    env: { PATH: [dirname(process.execPath), process.env['PATH']].join(':') },
    stdio: 'ignore',
  });
  await once(child, 'exit');
  return child.exitCode;
}
