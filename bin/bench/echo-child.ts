/** A child of a pool that returns what it was sent. */

import { serveTasks } from '../../src/examiner/child-side.ts';

serveTasks(async (task) => task);
