import Database from 'better-sqlite3';

/** Loads the native module and asks it. @returns the version of SQLite, such as `3.50.1`. */
export function engineVersion(): string {
  const client = new Database(':memory:');
  try {
    return String(client.prepare('SELECT sqlite_version()').pluck().get());
  } finally {
    client.close();
  }
}
