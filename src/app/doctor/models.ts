import { createRegistry } from '../../inference/registry.ts';
import { diagnose, type Diagnosis, messageOf } from './diagnosis.ts';

const reinstall = 'Reinstall forensics, or put the files of your own models folder back.';

/** Reads every file of every model and compares its hash. */
export async function checkModels(extra: string | null): Promise<readonly Diagnosis[]> {
  const { ok, failed } = diagnose('models');
  const registry = createRegistry({ extra });
  try {
    const ids = (await registry.list()).map(({ id }) => id);
    // The default too: opening it tells of damaged descriptions, which the list leaves out.
    for (const id of [null, ...ids]) await registry.open(id);
    return [ok(`Every file of ${ids.join(', ')} is what its manifest says.`)];
  } catch (error) {
    return [failed(messageOf(error), reinstall)];
  }
}
