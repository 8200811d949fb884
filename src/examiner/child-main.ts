/** Entry point of the sandbox's child process: opens one picture at a time and keeps its models loaded between tasks. */

import { loadRuntime } from '../inference/runtime.ts';
import { serveTasks } from './child-side.ts';
import { createModelCache } from './model-cache.ts';
import { performTask } from './tasks.ts';

const models = createModelCache();

serveTasks((task) => performTask(task, models));

// Loads these while the first task is on its way. If one fails to load, the task that needs it reports the error.
void Promise.allSettled([import('./examine.ts'), loadRuntime()]);
