/** Makes what was asked for: all of it, or nothing. */

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openCore } from '../../app/core.ts';
import { type FirstRun, makeFirstTenant } from '../../app/first-run.ts';
import type { Settings } from '../../config.ts';
import { withSecretFile } from '../keys/new-key.ts';
import { writeOwnJson } from '../server/own-json.ts';
import type { Answers, FirstAnswers } from './answers.ts';

interface SetUp {
  readonly answers: Answers;
  readonly settings: Settings;
  readonly configFile: string;
}

/** @returns the first tenant with its key; null where the data folder had tenants before. */
export async function setUp({ answers, settings, configFile }: SetUp): Promise<FirstRun | null> {
  const { first } = answers;
  process.on('SIGINT', ignore);
  try {
    return await withSecretFile(first?.keyFile ?? undefined, async (file) => {
      return orRemoved(settings.dataDir, async () => {
        const made = first === null ? null : await makeFirst(settings, first);
        if (made !== null) await file?.write(made.key.secret);
        writeOwnJson(configFile, answers.settings);
        return made;
      });
    });
  } finally {
    process.off('SIGINT', ignore);
  }
}

/** It takes less than a second; a Ctrl-C in it comes too late. */
function ignore(): void {}

async function makeFirst(
  settings: Settings,
  { tenantName, webhookUrl }: FirstAnswers,
): Promise<FirstRun | null> {
  const core = openCore(settings);
  try {
    const made = await makeFirstTenant(core, new Date(), tenantName);
    if (made !== null && webhookUrl !== null) {
      await core.tenants.update(made.tenant.id, { webhookUrl });
    }
    return made;
  } finally {
    core.close();
  }
}

/** Takes away again what an act that fails has added to a folder, and the folder when it was not there. */
async function orRemoved<T>(folder: string, act: () => Promise<T>): Promise<T> {
  const before = existsSync(folder) ? readdirSync(folder) : null;
  try {
    return await act();
  } catch (error) {
    const added = existsSync(folder) ? readdirSync(folder) : [];
    for (const name of added.filter((each) => before?.includes(each) !== true)) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
    if (before === null) rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
