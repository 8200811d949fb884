import { createRegistry } from '../../inference/registry.ts';
import { diagnose, type Diagnosis, messageOf } from './diagnosis.ts';

const reinstall = 'Reinstall forensics, or put the files of your own models folder back.';

/** Reads every file of every model and compares its hash. */
export async function checkModels(extra: string | null): Promise<readonly Diagnosis[]> {
  const { ok, failed } = diagnose('models');
  try {
    const verified = await createRegistry({ extra }).verify(null);
    const ids = verified.map(({ id }) => id).join(', ');
    return [ok(`Every file of ${ids} is what its manifest says.`)];
  } catch (error) {
    return [failed(messageOf(error), reinstall)];
  }
}
