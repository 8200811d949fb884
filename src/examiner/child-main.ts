/** Entry point of the sandbox's child process: opens one picture at a time and keeps its models loaded between tasks. */

import { serveTasks } from './child-side.ts';
import { createModelCache } from './model-cache.ts';
import { performTask } from './tasks.ts';

const models = createModelCache();

serveTasks((task) => performTask(task, models));

// While the first task is on its way. If either fails, the task that needs it reports the error.
void Promise.allSettled([models.load({ model: null }, null), import('./examine.ts')]);
