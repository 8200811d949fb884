/** The validations that are kept in the data folder. */

import { openValidations } from '../../app/validations.ts';
import { createNumberWriter } from '../../report/numbers.ts';
import { listTable } from '../list-table.ts';
import { type LocalOptions, settingsFor } from '../local-core.ts';
import { print, printJson, say } from '../talk.ts';
import { printValidation, type Shown } from './print.ts';

export type StoredOptions = LocalOptions & Shown;

export function listValidations(options: StoredOptions): void {
  const { validations, damaged } = openValidations(settingsFor(options)).list();
  for (const id of damaged) say(`Validation ${id} is damaged; put back a copy of it or delete it.`);
  const entries = validations.map(({ id, createdAt, model, pictures, conditions }) => ({
    id,
    createdAt,
    model: `${model.id} ${model.version}`,
    real: pictures.real.measured,
    fake: pictures.fake.measured,
    auc: conditions.find(({ condition }) => condition === 'clean')?.auc.value ?? null,
  }));
  if (options.json) return printJson({ validations: entries });
  if (entries.length === 0) return say('There are no validations.');
  const { count, exact } = createNumberWriter('en');
  const rows = entries.map(({ id, createdAt, model, real, fake, auc }) => [
    id,
    createdAt.slice(0, 10),
    model,
    count(real),
    count(fake),
    auc === null ? '' : exact(auc),
  ]);
  print(listTable(['id', 'made', 'model', 'photographs', 'generated', 'AUC, clean'], rows));
}

export function showValidation(id: string, options: StoredOptions): void {
  printValidation(openValidations(settingsFor(options)).find(id), options);
}

export function deleteValidation(id: string, options: StoredOptions): void {
  openValidations(settingsFor(options)).remove(id);
  if (options.json) return printJson({ id, deleted: true });
  say('The validation is deleted.');
}
