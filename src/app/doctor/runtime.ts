import { loadRuntime } from '../../inference/runtime.ts';
import { diagnose, type Diagnosis, messageOf } from './diagnosis.ts';

/** As `engines` in package.json. */
const leastNode = [22, 18] as const;

export async function checkRuntime(): Promise<readonly Diagnosis[]> {
  return [judgeNode(process.versions.node), ...(await Promise.all([checkCodec(), checkOnnx()]))];
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

async function checkCodec(): Promise<Diagnosis> {
  const { ok, failed } = diagnose('image codecs');
  try {
    // Only here: a missing binary already fails at the import.
    await import('../../image/codec.ts');
    return ok('The native module loads.');
  } catch (error) {
    return failed(messageOf(error), 'Reinstall forensics on this machine: npm i -g forensics');
  }
}

async function checkOnnx(): Promise<Diagnosis> {
  const { ok, failed } = diagnose('ONNX Runtime');
  try {
    const { version } = await loadRuntime();
    return ok(`Version ${version} loads.`);
  } catch (error) {
    return failed(messageOf(error), 'npm install -g onnxruntime-node');
  }
}
