import { engineVersion } from '../../db/engine.ts';
import { loadRuntime } from '../../inference/runtime.ts';
import { diagnose, type Diagnosis, messageOf } from './diagnosis.ts';

/** As `engines` in package.json. */
const leastNode = [22, 18] as const;

export async function checkRuntime(): Promise<readonly Diagnosis[]> {
  return [judgeNode(process.versions.node), ...(await checkModules())];
}

/** @param version - such as `24.1.0`. */
export function judgeNode(version: string): Diagnosis {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNewEnough = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1]);
  const { ok, failed } = diagnose('Node.js');
  return isNewEnough
    ? ok(`Version ${version}.`)
    : failed(`Version ${version} is too old.`, `Install Node.js ${leastNode.join('.')} or newer.`);
}

const reinstall = 'Reinstall forensics on this machine: npm i -g forensics';

/** Those with a native part, which fits one system and one processor. */
async function checkModules(): Promise<readonly Diagnosis[]> {
  return Promise.all([
    check('image codecs', reinstall, async () => {
      // Only here: a missing binary already fails at the import.
      await import('../../image/codec.ts');
      return 'The native module loads.';
    }),
    check('ONNX Runtime', 'npm install -g onnxruntime-node', async () => {
      const { version } = await loadRuntime();
      return `Version ${version} loads.`;
    }),
    check('SQLite', reinstall, async () => `Version ${engineVersion()} loads.`),
  ]);
}

async function check(name: string, fix: string, load: () => Promise<string>): Promise<Diagnosis> {
  const { ok, failed } = diagnose(name);
  try {
    return ok(await load());
  } catch (error) {
    return failed(messageOf(error), fix);
  }
}
