CREATE TABLE tenants (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  key_tag TEXT NOT NULL UNIQUE,
  is_trial INTEGER NOT NULL CHECK (is_trial IN (0, 1)),
  webhook_url TEXT,
  webhook_disabled_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER
) STRICT;

CREATE TABLE api_keys (
  uuid TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  name TEXT NOT NULL,
  digest BLOB NOT NULL UNIQUE,
  ending TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
CREATE INDEX api_keys_by_tenant ON api_keys (tenant_id, created_at DESC);

CREATE TABLE analyses (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  project_id TEXT,
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL,
  comment TEXT NOT NULL,
  comment_folded TEXT NOT NULL,
  tags TEXT NOT NULL,
  storage_type TEXT NOT NULL CHECK (storage_type IN ('azure', 's3')),
  format TEXT NOT NULL CHECK (format IN ('jpg', 'png')),
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  filename TEXT NOT NULL,
  input_key TEXT NOT NULL,
  model TEXT NOT NULL,
  model_version TEXT NOT NULL,
  decision_strategy TEXT NOT NULL CHECK (decision_strategy IN ('pedantic', 'default', 'relaxed')),
  tier TEXT NOT NULL CHECK (tier IN ('flagging', 'forensicReporting')),
  seed INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'failed')),
  status_message TEXT NOT NULL,
  retry_count INTEGER NOT NULL,
  queued_at INTEGER,
  processing_started_at INTEGER,
  processing_finished_at INTEGER,
  evidence_key TEXT,
  evidence_sha256 TEXT,
  evidence_md5 TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER,
  deleted_at INTEGER,
  created_by_id TEXT,
  last_changed_by_type TEXT,
  last_changed_by_id TEXT,
  tier_upgraded_from TEXT,
  tier_upgraded_at INTEGER
) STRICT;
CREATE INDEX analyses_by_age ON analyses (tenant_id, created_at DESC, id) WHERE deleted_at IS NULL;

CREATE TABLE examinations (
  analysis_id TEXT PRIMARY KEY REFERENCES analyses (id) ON DELETE CASCADE,
  result_class INTEGER NOT NULL,
  result_sub_classes TEXT NOT NULL,
  examined_at INTEGER NOT NULL,
  scores TEXT NOT NULL,
  rendered TEXT,
  examination TEXT NOT NULL,
  real_map BLOB NOT NULL,
  fake_map BLOB NOT NULL,
  compression_map BLOB NOT NULL,
  anomaly_map BLOB NOT NULL
) STRICT;

CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  run_at INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  leased_by TEXT,
  leased_until INTEGER,
  was_abandoned INTEGER NOT NULL CHECK (was_abandoned IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;
-- A leased job is due again when its lease ends: one index serves the claim and the next wake-up.
CREATE INDEX jobs_by_due ON jobs (kind, coalesce(leased_until, run_at));

CREATE TABLE webhook_deliveries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  subject TEXT NOT NULL,
  event TEXT NOT NULL,
  payload TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'given_up')),
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER,
  fence INTEGER NOT NULL,
  last_outcome TEXT,
  created_at INTEGER NOT NULL,
  settled_at INTEGER
) STRICT;
CREATE INDEX webhook_deliveries_by_due ON webhook_deliveries (tenant_id, next_attempt_at)
  WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_by_subject ON webhook_deliveries (subject, seq)
  WHERE state = 'waiting';

CREATE TABLE idempotency_keys (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  subject TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

CREATE TABLE usage_counters (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  day TEXT NOT NULL,
  counter TEXT NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, day, counter)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
