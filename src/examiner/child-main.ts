/** The child process of the sandbox: opens one picture at a time, keeps its models loaded between tasks. */

import { loadRuntime } from '../inference/runtime.ts';
import { serveTasks } from './child-side.ts';
import { createModelCache } from './model-cache.ts';
import { performTask } from './tasks.ts';

const models = createModelCache();

serveTasks((task) => performTask(task, models));

// While the first task is on its way. Whoever needs what cannot be loaded is told so.
void Promise.allSettled([import('./examine.ts'), loadRuntime()]);
