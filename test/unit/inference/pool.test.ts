import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPool, type Pool } from '../../../src/examiner/pool.ts';
import { fromDist } from '../../built.ts';
import { refusal } from '../../fixtures/refusal.ts';

const entry = new URL('./pool-child.ts', import.meta.url);
const usual = { entry, size: 1, taskTimeoutMs: 30_000, memoryLimitBytes: 1e9, execArgv: fromDist };

function poolOf(options: Partial<Parameters<typeof createPool>[0]> = {}): Pool {
  const pool = createPool({ ...usual, ...options });
  onTestFinished(() => pool.close());
  return pool;
}

/** For tasks that leave their child as it was. */
const shared = createPool(usual);

afterAll(() => shared.close());

function isAlive(pid: unknown): boolean {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch {
    return false;
  }
}

const waitUntilGone = (pid: unknown) =>
  vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 });

describe('a healthy pool', () => {
  test('passes typed arrays and dates both ways', async () => {
    const value = { numbers: Uint16Array.of(1, 65_535), at: new Date(7), nothing: null };

    expect(await shared.run({ echo: value })).toEqual(value);
  });

  test('forks nothing before the first task and keeps the child warm for the next', async () => {
    const pool = poolOf({ size: 3 });
    expect(pool.status()).toEqual({ children: 0, busy: 0, waiting: 0 });

    const first = await pool.run({ pid: null });
    const second = await pool.run({ pid: null });

    expect(second).toBe(first);
    expect(pool.status()).toEqual({ children: 1, busy: 0, waiting: 0 });
  });

  test('leaks no listeners on a child that runs many tasks', async () => {
    const warned = vi.spyOn(process, 'emitWarning');
    const pool = poolOf();

    for (let at = 0; at < 20; at++) await pool.run({ echo: at });
    await pool.close();

    expect(warned).not.toHaveBeenCalled();
  });

  test('runs one task per child, while the others queue', async () => {
    const pool = poolOf({ size: 2 });

    const pids = [1, 2, 3, 4, 5].map(() => pool.run({ pid: null }));

    expect(pool.status()).toMatchObject({ busy: 2, waiting: 3 });
    expect(new Set(await Promise.all(pids)).size).toBe(2);
  });

  test('rejects at once if told not to wait', async () => {
    const pool = poolOf();
    const running = pool.run({ pid: null });

    await expect(pool.run({ pid: null }, { ifBusy: 'refuse' })).rejects.toEqual(
      refusal('inference_busy'),
    );

    await running;
    expect(await pool.run({ echo: 1 }, { ifBusy: 'refuse' })).toBe(1);
  });

  test('accepts infinite limits', async () => {
    const pool = poolOf({ taskTimeoutMs: Infinity, memoryLimitBytes: Infinity });

    expect(await pool.run({ echo: 1 })).toBe(1);
  });

  test.each([0, 1.5, Number.NaN])('cannot have %d children', (size) => {
    expect(() => createPool({ entry, size, taskTimeoutMs: 1, memoryLimitBytes: 1 })).toThrow(
      RangeError,
    );
  });

  test('passes a child only the environment that it needs', async () => {
    vi.stubEnv('FORENSICS_SECRET', 'not for children');

    const environment = await poolOf().run({ environment: null });

    vi.unstubAllEnvs();
    expect(environment).not.toHaveProperty('FORENSICS_SECRET');
  });
});

describe('a task that fails', () => {
  test('passes on the code and message of an expected error', async () => {
    const failing = shared.run({ refuse: null });

    await expect(failing).rejects.toMatchObject({
      name: 'ForensicsError',
      code: 'image_unreadable',
      message: 'The picture is damaged.',
    });
  });

  test('hides an unexpected error behind internal and keeps its stack as the cause', async () => {
    const error: unknown = await shared.run({ stumble: null }).catch((caught: unknown) => caught);

    expect(error).toMatchObject({ code: 'internal' });
    expect(String(Object(error).message)).not.toContain('not foreseen');
    expect(String(Object(error).cause)).toContain('not foreseen');
  });

  test('is rejected if it cannot be sent, and the child stays alive', async () => {
    const pid = await shared.run({ pid: null });

    await expect(shared.run({ echo: () => 1 })).rejects.toThrow(/could not be cloned/);

    expect(await shared.run({ pid: null })).toBe(pid);
  });
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
  'a child ignores %s, which the whole process group receives',
  async (signal) => {
    expect(await shared.run({ signal })).toBe('still there');
  },
);

describe('a child that dies', () => {
  test.each(['exit', 'abort', 'kill'])('by %s fails its task alone', async (end) => {
    const pool = poolOf();

    await expect(pool.run({ [end]: null })).rejects.toMatchObject({ code: 'inference_crashed' });

    expect(await pool.run({ echo: 'next' })).toBe('next');
  });

  test('while idle fails no task: the next goes to a new child', async () => {
    const pool = poolOf();
    const pid = Number(await pool.run({ pid: null }));
    process.kill(pid, 'SIGKILL');

    expect(await pool.run({ pid: null })).not.toBe(pid);
  });

  test('before it can start is reported, not retried endlessly', async () => {
    const pool = poolOf({ entry: new URL('./no-such-child.ts', import.meta.url) });

    await expect(pool.run({ echo: 1 })).rejects.toMatchObject({ code: 'inference_crashed' });
  });

  test('is killed after the time limit if it hangs', async () => {
    const pool = poolOf({ taskTimeoutMs: 700 });

    await expect(pool.run({ hang: null })).rejects.toEqual(refusal('inference_timeout', '0.7 s'));

    expect(pool.status()).toMatchObject({ children: 0, busy: 0 });
  });

  test.runIf(process.platform === 'linux')('is killed if it stops making progress', async () => {
    const pool = poolOf({ taskTimeoutMs: 700 });

    const message = expect.stringContaining('made no progress');
    const stuck = { code: 'inference_timeout', message, reason: { code: 'stuck' } };
    await expect(pool.run({ sleep: null })).rejects.toMatchObject(stuck);
  });

  test.runIf(process.platform === 'linux')(
    'is not killed while it waits for a CPU',
    { timeout: 60_000 },
    async () => {
      const size = 6;
      const pool = poolOf({ size, taskTimeoutMs: 1200 });

      const answers = Array.from({ length: size }, () => pool.run({ work: 500 }));

      expect(new Set(await Promise.all(answers))).toEqual(new Set(['done']));
    },
  );

  test('is killed if its memory grows over the limit', async () => {
    const pool = poolOf({ memoryLimitBytes: 300_000_000 });

    await expect(pool.run({ hoard: null })).rejects.toEqual(refusal('inference_out_of_memory'));

    expect(await pool.run({ echo: 'next' })).toBe('next');
  });

  test('from a full JavaScript heap is distinguished from a crash', async () => {
    const pool = poolOf({ memoryLimitBytes: 260_000_000 });

    await expect(pool.run({ fillHeap: null })).rejects.toEqual(refusal('inference_out_of_memory'));
  });
});

describe('cancelling', () => {
  test('ends a running task and its child', async () => {
    const pool = poolOf();
    const pid = await pool.run({ pid: null });
    const stop = new AbortController();
    const running = pool.run({ hang: null }, { signal: stop.signal });
    stop.abort();

    await expect(running).rejects.toMatchObject({ code: 'cancelled' });

    expect(isAlive(pid)).toBe(false);
  });

  test('removes a waiting task from the queue', async () => {
    const pool = poolOf();
    const running = pool.run({ pid: null });
    const stop = new AbortController();
    const waiting = pool.run({ echo: 1 }, { signal: stop.signal });
    stop.abort();

    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });

    expect(pool.status().waiting).toBe(0);
    await running;
  });

  test('before the start starts nothing', async () => {
    const pool = poolOf();

    const run = pool.run({ echo: 1 }, { signal: AbortSignal.abort() });

    await expect(run).rejects.toMatchObject({ code: 'cancelled' });
    expect(pool.status().children).toBe(0);
  });
});

function startParent(act: 'hang' | 'forget' | 'close') {
  const parent = fileURLToPath(new URL('./pool-parent.ts', import.meta.url));
  return spawn(process.execPath, [...fromDist, parent, act]);
}

describe('shutting down', () => {
  test('close lets the running task finish, cancels waiting and later ones, and leaves no child', async () => {
    const pool = poolOf();
    const running = pool.run({ pid: null });
    const waiting = pool.run({ echo: 1 });

    const closing = pool.close();

    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    await closing;
    await waitUntilGone(await running);
    await expect(pool.run({ echo: 1 })).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('a child does not outlive a killed parent, even in an endless loop', async () => {
    const parent = startParent('hang');
    const [pid] = await once(parent.stdout, 'data');
    parent.kill('SIGKILL');

    await waitUntilGone(pid);
  });

  test('an idle pool does not keep a program running', async () => {
    const parent = startParent('forget');
    const [pid] = await once(parent.stdout, 'data');
    const [code] = await once(parent, 'exit');

    expect(code).toBe(0);
    await waitUntilGone(pid);
  });

  test('a program that awaits closing its pool exits', async () => {
    const parent = startParent('close');
    let output = '';
    parent.stdout.on('data', (text) => (output += String(text)));
    const [code] = await once(parent, 'close');

    expect([code, output]).toEqual([0, 'closed']);
  });
});
