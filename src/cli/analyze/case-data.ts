/** Who ordered a report and who answers for it: the options of `analyze` and `report`. */

import type { Command } from 'commander';
import type { CaseData, Laboratory } from '../../present/report-item.ts';
import { named } from '../options.ts';

export interface CaseOptions {
  readonly case?: string;
  readonly exhibit?: string;
  readonly examiner?: string;
  readonly note?: string;
  readonly template?: string;
}

export function withCaseOptions(command: Command): Command {
  return command
    .option('--case <number>', 'case number, printed in the report', named)
    .option('--exhibit <number>', 'number of the exhibit', named)
    .option('--examiner <name>', 'name of the examiner', named)
    .option('--note <text>', 'a remark on the case', named)
    .option(
      '--template <file>',
      'JSON file of the laboratory: name, address, logo, sentences (see: forensics help evidence)',
      named,
    );
}

/** The options that were given, by their names, as `assertNoOptions` wants them. */
export function caseOptionsGiven(options: CaseOptions): Readonly<Record<string, boolean>> {
  return {
    '--case': options.case !== undefined,
    '--exhibit': options.exhibit !== undefined,
    '--examiner': options.examiner !== undefined,
    '--note': options.note !== undefined,
    '--template': options.template !== undefined,
  };
}

/** Nothing where no option was given. @throws {ForensicsError} `usage` for a template that cannot be used. */
export async function readCaseData(options: CaseOptions): Promise<{ caseData?: CaseData }> {
  if (!Object.values(caseOptionsGiven(options)).includes(true)) return {};
  const { case: caseNumber, exhibit, examiner, note, template } = options;
  const caseData: CaseData = {
    ...(caseNumber === undefined ? {} : { caseNumber }),
    ...(exhibit === undefined ? {} : { exhibit }),
    ...(examiner === undefined ? {} : { examiner }),
    ...(note === undefined ? {} : { note }),
    ...(template === undefined ? {} : { laboratory: await readLaboratory(template) }),
  };
  return { caseData };
}

/** The schema of the template is loaded only where one is named. */
async function readLaboratory(template: string): Promise<Laboratory> {
  const { readTemplate } = await import('./template.ts');
  return readTemplate(template);
}
