/**
 * Loaded before anything else into each process that is watched (`node --import`): whatever would leave this machine is
 * written down and fails. It sees what JavaScript does; native code is the matter of the network namespace.
 */

import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { type Act, type Attempt, isOfThisMachine, logVariable } from './attempts.ts';

const log = process.env[logVariable];
if (log === undefined) throw new TypeError(`${logVariable} must name the file to write to`);

note('watched', process.argv[1] ?? '');
guardConnections();
guardDatagrams();
guardNames();
guardPrograms();
// Named imports see the replacements from now on.
syncBuiltinESMExports();

/** TCP, and with it TLS and HTTP of any kind. */
function guardConnections(): void {
  replace(net.Socket.prototype, 'connect', ({ self, args, go }) => {
    const target = targetOf(args);
    if (target === null) return go();
    const error = refused('connect', target);
    process.nextTick(() => self instanceof net.Socket && self.destroy(error));
    return self;
  });
}

function guardDatagrams(): void {
  for (const name of ['send', 'connect']) {
    replace(dgram.Socket.prototype, name, ({ self, args, go }) => {
      // Without an address it is this machine. What comes first is the message, or the port.
      const host = args.slice(1).find((each) => typeof each === 'string');
      if (typeof host !== 'string' || isOfThisMachine(host)) return go();
      callBack(args, refused('send', host));
      return self;
    });
  }
}

function guardNames(): void {
  for (const owner of [dns, dns.Resolver.prototype]) {
    guardQuestions(owner, (args, error) => callBack(args, error));
  }
  for (const owner of [dns.promises, dns.promises.Resolver.prototype]) {
    guardQuestions(owner, async (_args, error) => Promise.reject(error));
  }
}

function guardQuestions(owner: object, fail: (args: Args, error: Error) => unknown): void {
  const names = Object.getOwnPropertyNames(owner);
  for (const name of names.filter((each) => /^(lookup|resolve|reverse)/.test(each))) {
    replace(owner, name, ({ args, go }) => {
      const host = String(args[0]);
      const isAddress = name === 'lookup' && net.isIP(host) !== 0;
      return isAddress || isOfThisMachine(host) ? go() : fail(args, refused('look up', host));
    });
  }
}

/** Our own children are watched like ourselves; of other programs it is told that they ran. */
function guardPrograms(): void {
  replace(childProcess.ChildProcess.prototype, 'spawn', ({ args, go }) => {
    const [how] = args;
    if (isSpawn(how) && how.file === process.execPath) {
      how.args.splice(1, 0, '--import', import.meta.url);
      how.envPairs.push(`${logVariable}=${log}`);
    } else {
      note('start a program', isSpawn(how) ? how.file : 'unknown');
    }
    return go();
  });
  for (const name of ['spawnSync', 'execSync', 'execFileSync']) {
    replace(childProcess, name, ({ args, go }) => {
      note('start a program', String(args[0]));
      return go();
    });
  }
}

type Args = readonly unknown[];

interface Call {
  readonly self: unknown;
  readonly args: Args;
  /** What would have happened. */
  readonly go: () => unknown;
}

function replace(owner: object, name: string, act: (call: Call) => unknown): void {
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== 'function') throw new TypeError(`${name} cannot be watched`);
  Reflect.set(owner, name, function replacement(this: unknown, ...args: unknown[]) {
    return act({ self: this, args, go: () => Reflect.apply(original, this, args) });
  });
}

/** Where a connection would lead, when that is another machine. */
function targetOf(args: Args): string | null {
  // Inside Node.js the arguments come as one list.
  const [first, second]: Args = Array.isArray(args[0]) ? args[0] : args;
  const how = Object(first);
  if (
    typeof how['path'] === 'string' ||
    (typeof first === 'string' && Number.isNaN(Number(first)))
  ) {
    return null;
  }
  const isOptions = typeof first === 'object';
  const host: unknown = (isOptions ? how['host'] : second) ?? 'localhost';
  const port: unknown = isOptions ? how['port'] : first;
  if (typeof host !== 'string') return null;
  return isOfThisMachine(host) ? null : `${host}:${String(port)}`;
}

function callBack(args: Args, error: Error): void {
  const last = args.at(-1);
  if (typeof last === 'function') process.nextTick(() => void Reflect.apply(last, null, [error]));
}

function refused(act: Act, target: string): Error {
  note(act, target);
  return Object.assign(new Error(`${act} ${target}: outside of this machine`), { code: 'EACCES' });
}

function note(act: Act, target: string): void {
  const attempt: Attempt = { act, target };
  appendFileSync(String(log), `${JSON.stringify(attempt)}\n`);
}

interface Spawn {
  readonly file: string;
  readonly args: string[];
  readonly envPairs: string[];
}

function isSpawn(value: unknown): value is Spawn {
  const { file, args, envPairs } = Object(value);
  return typeof file === 'string' && Array.isArray(args) && Array.isArray(envPairs);
}
