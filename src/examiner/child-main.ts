/** The child process of the sandbox: opens one picture at a time, keeps its models loaded between tasks. */

import { loadRuntime } from '../inference/runtime.ts';
import { serveTasks } from './child-side.ts';
import { createModelCache } from './model-cache.ts';
import { performTask } from './tasks.ts';

const models = createModelCache();

serveTasks((task) => performTask(task, models));

// Loaded while the first task is on its way. A task that needs what failed to load reports it.
void Promise.allSettled([import('./examine.ts'), loadRuntime()]);
