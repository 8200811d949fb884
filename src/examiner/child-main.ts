/** Entry point of the sandbox's child process; it opens one picture at a time and keeps its models between tasks. */

import { serveTasks } from './child-side.ts';
import { createModelCache } from './model-cache.ts';
import { performTask } from './tasks.ts';

const models = createModelCache();

serveTasks((task) => performTask(task, models));

// Runs while the first task is on its way. The localisation network's thread starts first, because
// it has most to do. If either fails to load, the task that needs it reports the error.
const loading = models.load({ model: null }, null).catch(() => undefined);
void Promise.allSettled([loading.then(() => import('./examine.ts'))]);
