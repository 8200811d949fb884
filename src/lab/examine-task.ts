import { examine } from '../engine/examine.ts';
import type { Examination } from '../engine/result.ts';
import { readProvenance } from '../provenance/read-provenance.ts';
import type { ExamineRequest } from './lab.ts';
import type { ModelShelf } from './model-shelf.ts';
import { checkDeclared, openSource } from './open-source.ts';
import type { ChildSettings } from './tasks.ts';

export async function performExamine(
  { source, options, declared, now = new Date() }: ExamineRequest,
  settings: ChildSettings,
  shelf: ModelShelf,
): Promise<Examination> {
  const { model, locator = null, ...examineOptions } = options;
  // A fresh child loads the models while sharp's thread decodes.
  const [{ picture, bytes }, models] = await Promise.all([
    openSource(source, settings.limits),
    shelf.take({ model, locator }, settings.modelsDir),
  ]);
  checkDeclared(picture, declared);
  const provenance = await readProvenance(bytes, picture, { ...settings, now });
  return examine(picture, models, examineOptions, provenance);
}
