/** Forgets what lets nobody in any more and keeps nobody out. */

import { type Db, transact } from '../db/open.ts';
import { purgeLoginAttempts } from './login-attempts.ts';
import { purgeSessions } from './sessions.ts';

/** Sessions that ended long ago, failed logins that count no more. */
export function purgeExpired(db: Db, at: Date): void {
  transact(db, (tx) => {
    purgeSessions(tx, at);
    purgeLoginAttempts(tx, at);
  });
}
