/** Both database engines, for suites that run on each. */

import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished, test } from 'vitest';
import type { Db } from '../../../../src/ports/db/database.ts';
import { openPostgres } from '../../../../src/ports/db/postgres.ts';
import { openDatabase } from '../../../../src/ports/db/sqlite.ts';
import {
  type PostgresServer,
  postgresPrograms,
  startPostgres,
} from '../../../fixtures/postgres.ts';
import { temporaryFolder } from './temporary.ts';

export interface Engine {
  readonly name: string;
  readonly isMissing: boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Creates a database. Each call of the returned function opens it as another process would. */
  newDatabase(): Promise<() => Promise<Db>>;
}

const sqlite: Engine = {
  name: 'SQLite',
  isMissing: false,
  async start() {},
  async stop() {},
  async newDatabase() {
    const path = join(temporaryFolder(), 'test.db');
    return async () => {
      const opened = openDatabase({ path });
      onTestFinished(() => opened.close());
      return opened.db;
    };
  },
};

function createPostgresEngine(): Engine {
  let server: PostgresServer | null = null;
  return {
    name: 'PostgreSQL',
    isMissing: postgresPrograms() === null,
    async start() {
      server = await startPostgres();
    },
    async stop() {
      await server?.stop();
    },
    async newDatabase() {
      const url = await server!.createDatabase();
      return async () => {
        const opened = await openPostgres({ url, passwordFile: null });
        onTestFinished(() => opened.close());
        return opened.db;
      };
    },
  };
}

export const postgres = createPostgresEngine();
export const engines = [sqlite, postgres] as const;

/** Runs the engine for the tests of this block. Returns `test`, or `test.skip` if the engine is not installed. */
export function testsOn(engine: Engine) {
  if (engine.isMissing) return test.skip;
  beforeAll(() => engine.start());
  afterAll(() => engine.stop());
  return test;
}
