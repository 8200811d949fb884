-- No foreign key to tenants or analyses: the log outlives what it describes.
CREATE TABLE audit_entries (
  chain TEXT NOT NULL,
  seq INTEGER NOT NULL,
  entry TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (chain, seq)
) STRICT;

CREATE TABLE audit_heads (
  chain TEXT PRIMARY KEY,
  count INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;
