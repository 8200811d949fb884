/** The child process of the sandbox: opens one picture at a time, keeps its models loaded between tasks. */

import { serveTasks } from './child-side.ts';
import { createModelCache } from './model-cache.ts';
import { performTask } from './tasks.ts';

const models = createModelCache();

serveTasks((task) => performTask(task, models));
