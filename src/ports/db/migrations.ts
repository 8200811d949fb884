/**
 * The steps from an empty file to the present schema, oldest first. Forward only: a step that was released is never
 * changed, a correction is a new step. `user_version` of the file counts those that were applied.
 */

/** A head that does not go on from the last one is refused. */
export const auditHeadsStep = `CREATE TRIGGER audit_heads_step BEFORE UPDATE ON audit_heads
  WHEN NEW.chain <> OLD.chain OR NEW.count <> OLD.count + 1
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;`;

export const migrations: readonly string[] = [
  `
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
  -- A leased job is due again when its lease ends: one expression, one index for claim and for the next wake-up.
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
  `,
  `
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
  -- An address may stand in several accounts of an identity provider, but in one embedded account.
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
  `,
  `
  ALTER TABLE analyses ADD COLUMN input_etag TEXT;
  ALTER TABLE analyses ADD COLUMN input_replaced_at INTEGER;
  CREATE INDEX analyses_by_deletion ON analyses (deleted_at) WHERE deleted_at IS NOT NULL;

  CREATE TABLE legal_holds (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    analysis_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, analysis_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE loose_objects (
    id INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    storage_config_id TEXT REFERENCES storage_configs (id),
    key TEXT NOT NULL,
    sweep_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX loose_objects_by_key ON loose_objects (key);
  `,
  `
  -- A name is taken before its tenant is written.
  CREATE TABLE tenant_names (
    name TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id) DEFERRABLE INITIALLY DEFERRED
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tenant_names_by_tenant ON tenant_names (tenant_id);
  INSERT INTO tenant_names SELECT name, id FROM tenants;
  `,
  `
  ALTER TABLE jobs ADD COLUMN owner TEXT;
  UPDATE jobs SET owner = payload ->> 'tenantId' WHERE kind = 'analysis.run';
  `,
  `
  ALTER TABLE api_keys ADD COLUMN replaced_at INTEGER;
  `,
  `
  -- What one person sent lately is counted at each message.
  CREATE INDEX feedback_by_user ON feedback (user_id, created_at);
  `,
  `
  CREATE INDEX analyses_pending ON analyses (tenant_id)
    WHERE status = 'pending' AND deleted_at IS NULL;
  `,
  `
  -- No row names a tenant or an analysis by a key of theirs: the log outlives what it tells of.
  CREATE TABLE audit_entries (
    chain TEXT NOT NULL,
    seq INTEGER NOT NULL,
    entry TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (chain, seq)
  ) STRICT;
  -- With the number in it, or the whole chain is read to have its entries in order.
  CREATE INDEX audit_by_subject ON audit_entries (chain, entry ->> '$.subject', seq);

  CREATE TABLE audit_heads (
    chain TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Against a slip of this program, and against a hand that means no harm; who means harm can drop them.
  CREATE TRIGGER audit_entries_unchanged BEFORE UPDATE ON audit_entries
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_entries_kept BEFORE DELETE ON audit_entries
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  -- An INSERT OR REPLACE deletes without asking the trigger above.
  CREATE TRIGGER audit_entries_unreplaced BEFORE INSERT ON audit_entries
  WHEN EXISTS (SELECT 1 FROM audit_entries WHERE chain = NEW.chain AND seq = NEW.seq)
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  ${auditHeadsStep}
  CREATE TRIGGER audit_heads_kept BEFORE DELETE ON audit_heads
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

  -- The chain of the service, and those of tenants that are older than the log, begin by saying that they do.
  INSERT INTO audit_heads SELECT id, 0, printf('%064d', 0) FROM tenants;
  INSERT INTO audit_heads VALUES ('service', 0, printf('%064d', 0));
  `,
  `
  ALTER TABLE tenants ADD COLUMN deleted_at INTEGER;
  `,
  `
  ALTER TABLE examinations ADD COLUMN method_maps BLOB;
  `,
  `
  ALTER TABLE tenants ADD COLUMN default_options TEXT;
  `,
  `
  ALTER TABLE legal_holds ADD COLUMN created_by_user_id TEXT;
  `,
  `
  -- With what a search looks at: it reads the index and not the rows, which are seven times as long.
  DROP INDEX analyses_by_age;
  CREATE INDEX analyses_by_age ON analyses (tenant_id, created_at DESC, id, name_folded, comment_folded,
    last_changed_by_type, last_changed_by_id) WHERE deleted_at IS NULL;
  CREATE INDEX jobs_by_owner ON jobs (kind, owner, coalesce(leased_until, run_at));
  `,
  `
  -- For searches: where in names and comments any three characters stand. It keeps no text and knows an analysis by a number
  -- of its own, for VACUUM may change those of the rows.
  CREATE VIRTUAL TABLE analysis_texts USING fts5(name, comment, content='', columnsize=0, tokenize='trigram case_sensitive 1');
  ALTER TABLE analyses ADD COLUMN text_id INTEGER;
  UPDATE analyses SET text_id = rowid;
  CREATE UNIQUE INDEX analyses_by_text ON analyses (text_id);
  INSERT INTO analysis_texts (rowid, name, comment) SELECT text_id, name_folded, comment_folded FROM analyses;
  CREATE TRIGGER analysis_text_added AFTER INSERT ON analyses BEGIN
    UPDATE analyses SET text_id = 1 + coalesce((SELECT max(text_id) FROM analyses), 0) WHERE id = NEW.id;
    INSERT INTO analysis_texts (rowid, name, comment)
      SELECT text_id, NEW.name_folded, NEW.comment_folded FROM analyses WHERE id = NEW.id;
  END;
  CREATE TRIGGER analysis_text_changed AFTER UPDATE OF name_folded, comment_folded ON analyses BEGIN
    INSERT INTO analysis_texts (analysis_texts, rowid, name, comment)
      VALUES ('delete', OLD.text_id, OLD.name_folded, OLD.comment_folded);
    INSERT INTO analysis_texts (rowid, name, comment) VALUES (NEW.text_id, NEW.name_folded, NEW.comment_folded);
  END;
  CREATE TRIGGER analysis_text_removed AFTER DELETE ON analyses BEGIN
    INSERT INTO analysis_texts (analysis_texts, rowid, name, comment)
      VALUES ('delete', OLD.text_id, OLD.name_folded, OLD.comment_folded);
  END;
  `,
  `
  -- How many analyses a tenant has that were not deleted: every list says it, and counting a million in a file that is not in
  -- memory takes seconds.
  CREATE TABLE analysis_counts (
    tenant_id TEXT PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
    counted INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO analysis_counts
    SELECT tenant_id, count(*) FROM analyses WHERE deleted_at IS NULL GROUP BY tenant_id;
  CREATE TRIGGER analysis_counted AFTER INSERT ON analyses WHEN NEW.deleted_at IS NULL BEGIN
    INSERT INTO analysis_counts VALUES (NEW.tenant_id, 1) ON CONFLICT DO UPDATE SET counted = counted + 1;
  END;
  CREATE TRIGGER analysis_uncounted AFTER DELETE ON analyses WHEN OLD.deleted_at IS NULL BEGIN
    UPDATE analysis_counts SET counted = counted - 1 WHERE tenant_id = OLD.tenant_id;
  END;
  CREATE TRIGGER analysis_recounted AFTER UPDATE OF deleted_at ON analyses
  WHEN (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) BEGIN
    UPDATE analysis_counts SET counted = counted + iif(NEW.deleted_at IS NULL, 1, -1) WHERE tenant_id = NEW.tenant_id;
  END;
  `,
];
