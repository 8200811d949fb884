import { diagnose, type Diagnosis } from '../../app/doctor/diagnosis.ts';
import type { Seen } from '../../client/look.ts';
import { packageVersion } from '../package-version.ts';

const askThere = 'Run "forensics doctor" on the machine of the server: it tells what to do.';

/** Each check by its name. @param seen - of `/v1/health`. */
export function judgeHealth({ status, data }: Seen): readonly Diagnosis[] {
  const checks: readonly [string, unknown][] = Object.entries(Object(Object(data)['data']));
  if (status === 200 && checks.length > 0) return checks.map(([name, word]) => judge(name, word));
  const message: unknown = Object(data)['message'];
  const told = typeof message === 'string' ? message : `It answers with status ${status}.`;
  return [diagnose('health').failed(told, askThere)];
}

function judge(check: string, word: unknown): Diagnosis {
  const { ok, warning } = diagnose(`health of ${check}`);
  return word === 'ok' ? ok('It works.') : warning(`It is ${String(word)}.`, askThere);
}

/** @param seen - of `/v1/schema`. */
export function judgeVersion({ status, data }: Seen): Diagnosis {
  const { ok, warning } = diagnose('version');
  const version: unknown = Object(Object(data)['info'])['version'];
  const here = packageVersion();
  if (status !== 200 || typeof version !== 'string') {
    return warning('The server does not tell its version.', askThere);
  }
  return version === here
    ? ok(`The server and this program are version ${here}.`)
    : warning(
        `The server is version ${version}, this program ${here}.`,
        'Install the same version on both: npm i -g forensics',
      );
}
