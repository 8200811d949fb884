CREATE TABLE storage_configs (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  type TEXT NOT NULL CHECK (type IN ('azure', 's3')),
  place TEXT NOT NULL,
  sealed BLOB NOT NULL,
  cors_applied TEXT,
  cors_warning TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (tenant_id, place)
) STRICT;

ALTER TABLE tenants ADD COLUMN webhook_disabled_reason TEXT;
ALTER TABLE tenants ADD COLUMN webhook_failing_since INTEGER;
ALTER TABLE tenants ADD COLUMN storage_config_id TEXT REFERENCES storage_configs (id);
ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
ALTER TABLE analyses ADD COLUMN storage_config_id TEXT REFERENCES storage_configs (id);
ALTER TABLE analyses ADD COLUMN created_by_type TEXT;
ALTER TABLE analyses ADD COLUMN is_bulk INTEGER CHECK (is_bulk IN (0, 1));
CREATE INDEX analyses_at_work ON analyses (tenant_id, status)
  WHERE queued_at IS NOT NULL AND status IN ('pending', 'processing') AND deleted_at IS NULL;

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  name TEXT,
  name_folded TEXT NOT NULL,
  user_type TEXT NOT NULL,
  scopes TEXT NOT NULL,
  password_hash TEXT,
  issuer TEXT,
  subject TEXT,
  lang TEXT NOT NULL,
  tos_accepted INTEGER NOT NULL CHECK (tos_accepted IN (0, 1)),
  tokens_valid_from INTEGER NOT NULL,
  disabled_at INTEGER,
  created_at INTEGER NOT NULL,
  last_login_at INTEGER,
  UNIQUE (issuer, subject)
) STRICT;
-- Several accounts of an identity provider may share an address, embedded accounts may not.
CREATE UNIQUE INDEX users_by_email ON users (email) WHERE issuer IS NULL;

CREATE TABLE user_tenants (
  user_id TEXT NOT NULL REFERENCES users (id),
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  PRIMARY KEY (user_id, tenant_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE login_attempts (
  address BLOB PRIMARY KEY,
  failures INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  locked_until INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE refresh_tokens (
  digest BLOB PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);

CREATE TABLE feedback (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  user_id TEXT NOT NULL REFERENCES users (id),
  source TEXT NOT NULL,
  message TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  outcomes TEXT NOT NULL
) STRICT;

CREATE INDEX webhook_deliveries_by_end ON webhook_deliveries (settled_at) WHERE settled_at IS NOT NULL;
