/** The command line as a process of its own. */

import { main } from '../../main.ts';

process.exitCode = await main(process.argv);
