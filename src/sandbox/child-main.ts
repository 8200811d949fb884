/** The child process of the sandbox: opens one picture at a time, keeps its model loaded between tasks. */

import { serveTasks } from './child-side.ts';
import { createModelCache } from './model-cache.ts';
import { isSandboxTask, type SandboxAnswer } from './tasks.ts';

const cache = createModelCache();

serveTasks(async (task): Promise<SandboxAnswer> => {
  if (!isSandboxTask(task)) throw new TypeError('The sandbox was given something that is no task.');
  const { settings, order } = task;
  if (order.kind === 'examine') {
    const { performExamine } = await import('./examine.ts');
    return { kind: 'examine', examination: await performExamine(order.request, settings, cache) };
  }
  if (order.kind === 'measure') {
    const { performMeasure } = await import('./measure.ts');
    return { kind: 'measure', measurement: await performMeasure(order.request, settings, cache) };
  }
  if (order.kind === 'compare') {
    const { performCompare } = await import('./examine.ts');
    return { kind: 'compare', difference: await performCompare(order, settings) };
  }
  // Loaded when needed: a child that only examines never reads the fonts and the PDF writer.
  const { performRender } = await import('./examine.ts');
  return { kind: 'render', rendering: await performRender(order.request, settings, cache) };
});
