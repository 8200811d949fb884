/**
 * The tables of `schema.ts` in PostgreSQL: those that SQLite's steps in `migrations.ts` lead to, with what each engine has of
 * its own. A test compares both with the program's schema.
 */

import type { PoolClient } from 'pg';
import { ForensicsError } from '../../errors.ts';

interface Step {
  /** Number of SQLite's steps that lead to the same schema. */
  readonly schema: number;
  /**
   * The oldest program that can still work with it: a step adds what the new program needs, and takes away only what no program
   * of the version before reads any more, so that processes of both can serve while they are exchanged.
   */
  readonly oldestProgram: number;
  readonly sql: string;
}

const textsByByte = (sql: string) => sql.replaceAll(/ TEXT\b/g, ' TEXT COLLATE "C"');

const steps: readonly Step[] = [
  {
    schema: 11,
    oldestProgram: 11,
    sql: textsByByte(`
  CREATE TABLE tenants (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    key_tag TEXT NOT NULL UNIQUE,
    is_trial BIGINT NOT NULL CHECK (is_trial IN (0, 1)),
    webhook_url TEXT,
    webhook_disabled_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT,
    webhook_disabled_reason TEXT,
    webhook_failing_since BIGINT,
    storage_config_id TEXT,
    deleted_at BIGINT
  );
  CREATE TABLE tenant_names (
    name TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id) DEFERRABLE INITIALLY DEFERRED
  );
  CREATE TABLE storage_configs (
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    type TEXT NOT NULL CHECK (type IN ('azure', 's3')),
    place TEXT NOT NULL,
    sealed BYTEA NOT NULL,
    cors_applied TEXT,
    cors_warning TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (tenant_id, place)
  );
  CREATE TABLE api_keys (
    uuid TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    name TEXT NOT NULL,
    digest BYTEA NOT NULL UNIQUE,
    ending TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT,
    last_used_at BIGINT,
    replaced_at BIGINT
  );
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
    width BIGINT NOT NULL,
    height BIGINT NOT NULL,
    filename TEXT NOT NULL,
    input_key TEXT NOT NULL,
    model TEXT NOT NULL,
    model_version TEXT NOT NULL,
    decision_strategy TEXT NOT NULL CHECK (decision_strategy IN ('pedantic', 'default', 'relaxed')),
    tier TEXT NOT NULL CHECK (tier IN ('flagging', 'forensicReporting')),
    seed BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'failed')),
    status_message TEXT NOT NULL,
    retry_count BIGINT NOT NULL,
    queued_at BIGINT,
    processing_started_at BIGINT,
    processing_finished_at BIGINT,
    evidence_key TEXT,
    evidence_sha256 TEXT,
    evidence_md5 TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT,
    deleted_at BIGINT,
    created_by_id TEXT,
    last_changed_by_type TEXT,
    last_changed_by_id TEXT,
    tier_upgraded_from TEXT,
    tier_upgraded_at BIGINT,
    storage_config_id TEXT REFERENCES storage_configs (id),
    created_by_type TEXT,
    is_bulk BIGINT CHECK (is_bulk IN (0, 1)),
    input_etag TEXT,
    input_replaced_at BIGINT
  );
  CREATE TABLE examinations (
    analysis_id TEXT PRIMARY KEY REFERENCES analyses (id) ON DELETE CASCADE,
    result_class BIGINT NOT NULL,
    result_sub_classes TEXT NOT NULL,
    examined_at BIGINT NOT NULL,
    scores TEXT NOT NULL,
    rendered TEXT,
    examination TEXT NOT NULL,
    real_map BYTEA NOT NULL,
    fake_map BYTEA NOT NULL,
    compression_map BYTEA NOT NULL,
    anomaly_map BYTEA NOT NULL,
    method_maps BYTEA
  );
  CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    run_at BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    leased_by TEXT,
    leased_until BIGINT,
    was_abandoned BIGINT NOT NULL CHECK (was_abandoned IN (0, 1)),
    created_at BIGINT NOT NULL,
    owner TEXT,
    -- The order of making, which SQLite keeps unasked.
    rowid BIGINT GENERATED ALWAYS AS IDENTITY
  );
  CREATE UNLOGGED TABLE request_counts (
    who TEXT PRIMARY KEY,
    begun_at BIGINT NOT NULL,
    requests BIGINT NOT NULL
  );
  CREATE TABLE webhook_deliveries (
    seq BIGINT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    subject TEXT NOT NULL,
    event TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'given_up')),
    attempts BIGINT NOT NULL,
    next_attempt_at BIGINT,
    fence BIGINT NOT NULL,
    last_outcome TEXT,
    created_at BIGINT NOT NULL,
    settled_at BIGINT
  );
  CREATE TABLE idempotency_keys (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    subject TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, key)
  );
  CREATE TABLE usage_counters (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    day TEXT NOT NULL,
    counter TEXT NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, day, counter)
  );
  CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  );
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
    tos_accepted BIGINT NOT NULL CHECK (tos_accepted IN (0, 1)),
    tokens_valid_from BIGINT NOT NULL,
    disabled_at BIGINT,
    created_at BIGINT NOT NULL,
    last_login_at BIGINT,
    UNIQUE (issuer, subject)
  );
  CREATE TABLE user_tenants (
    user_id TEXT NOT NULL REFERENCES users (id),
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    PRIMARY KEY (user_id, tenant_id)
  );
  CREATE TABLE login_attempts (
    address BYTEA PRIMARY KEY,
    failures BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    locked_until BIGINT
  );
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT
  );
  CREATE TABLE refresh_tokens (
    digest BYTEA PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
  );
  CREATE TABLE feedback (
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    source TEXT NOT NULL,
    message TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    outcomes TEXT NOT NULL
  );
  CREATE TABLE legal_holds (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    analysis_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, analysis_id)
  );
  CREATE TABLE loose_objects (
    id BIGINT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    storage_config_id TEXT REFERENCES storage_configs (id),
    key TEXT NOT NULL,
    sweep_at BIGINT NOT NULL
  );
  CREATE TABLE audit_entries (
    chain TEXT NOT NULL,
    seq BIGINT NOT NULL,
    entry TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (chain, seq)
  );
  CREATE TABLE audit_heads (
    chain TEXT PRIMARY KEY,
    count BIGINT NOT NULL,
    hash TEXT NOT NULL
  );
  ALTER TABLE tenants ADD FOREIGN KEY (storage_config_id) REFERENCES storage_configs (id);
  CREATE INDEX api_keys_by_tenant ON api_keys (tenant_id, created_at DESC);
  CREATE INDEX analyses_by_age ON analyses (tenant_id, created_at DESC, id)
    WHERE deleted_at IS NULL;
  CREATE INDEX jobs_by_due ON jobs (kind, (coalesce(leased_until, run_at)));
  CREATE INDEX webhook_deliveries_by_due ON webhook_deliveries (tenant_id, next_attempt_at)
    WHERE state = 'waiting';
  CREATE INDEX webhook_deliveries_by_subject ON webhook_deliveries (subject, seq)
    WHERE state = 'waiting';
  CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
  CREATE INDEX analyses_at_work ON analyses (tenant_id, status)
    WHERE queued_at IS NOT NULL AND status IN ('pending', 'processing') AND deleted_at IS NULL;
  CREATE UNIQUE INDEX users_by_email ON users (email) WHERE issuer IS NULL;
  CREATE INDEX sessions_by_user ON sessions (user_id);
  CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
  CREATE INDEX webhook_deliveries_by_end ON webhook_deliveries (settled_at)
    WHERE settled_at IS NOT NULL;
  CREATE INDEX analyses_by_deletion ON analyses (deleted_at) WHERE deleted_at IS NOT NULL;
  CREATE INDEX loose_objects_by_key ON loose_objects (key);
  CREATE INDEX tenant_names_by_tenant ON tenant_names (tenant_id);
  CREATE INDEX feedback_by_user ON feedback (user_id, created_at);
  CREATE INDEX analyses_pending ON analyses (tenant_id)
    WHERE status = 'pending' AND deleted_at IS NULL;
  CREATE INDEX audit_by_subject ON audit_entries (chain, (entry::json ->> 'subject'), seq);

  -- The query builder writes null where SQLite gives the next number.
  CREATE SEQUENCE webhook_deliveries_seq OWNED BY webhook_deliveries.seq;
  CREATE FUNCTION number_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN NEW.seq := coalesce(NEW.seq, nextval('webhook_deliveries_seq')); RETURN NEW; END $$;
  CREATE TRIGGER webhook_deliveries_numbered BEFORE INSERT ON webhook_deliveries
    FOR EACH ROW EXECUTE FUNCTION number_delivery();
  CREATE SEQUENCE loose_objects_seq OWNED BY loose_objects.id;
  CREATE FUNCTION number_object() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN NEW.id := coalesce(NEW.id, nextval('loose_objects_seq')); RETURN NEW; END $$;
  CREATE TRIGGER loose_objects_numbered BEFORE INSERT ON loose_objects
    FOR EACH ROW EXECUTE FUNCTION number_object();

  -- Search: any part of a name or comment of a tenant's analyses, or of those last changed by somebody of such a name.
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE EXTENSION IF NOT EXISTS btree_gin;
  CREATE INDEX analyses_by_words ON analyses
    USING gin (tenant_id, name_folded gin_trgm_ops, comment_folded gin_trgm_ops) WHERE deleted_at IS NULL;
  CREATE INDEX analyses_by_actor ON analyses (last_changed_by_id) WHERE last_changed_by_type = 'user';

  CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$;
  CREATE TRIGGER audit_entries_unchanged BEFORE UPDATE OR DELETE ON audit_entries
    FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
  CREATE TRIGGER audit_entries_kept BEFORE TRUNCATE ON audit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
  CREATE TRIGGER audit_heads_step BEFORE UPDATE ON audit_heads FOR EACH ROW
    WHEN (NEW.chain <> OLD.chain OR NEW.count <> OLD.count + 1) EXECUTE FUNCTION refuse_audit_change();
  CREATE TRIGGER audit_heads_kept BEFORE DELETE ON audit_heads
    FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
  INSERT INTO audit_heads VALUES ('service', 0, repeat('0', 64));
    `),
  },
  {
    schema: 12,
    oldestProgram: 11,
    sql: textsByByte('ALTER TABLE tenants ADD COLUMN default_options TEXT'),
  },
  {
    schema: 13,
    oldestProgram: 11,
    sql: textsByByte('ALTER TABLE legal_holds ADD COLUMN created_by_user_id TEXT'),
  },
  {
    schema: 14,
    oldestProgram: 11,
    sql: 'CREATE INDEX jobs_by_owner ON jobs (kind, owner, (coalesce(leased_until, run_at)), rowid)',
  },
];

const present = steps.at(-1)!.schema;

// Any number: the same in every process.
const migrationLock = 7_305_511;

/**
 * Brings the database to the newest schema, in one transaction; of several processes one does it and the others wait.
 *
 * @returns the schema that was found; 0 for a new database.
 * @throws {ForensicsError} `schema_newer` when a newer program has changed it so that this one cannot work with it.
 */
export async function migratePostgres(client: PoolClient): Promise<{ from: number; to: number }> {
  await client.query('BEGIN');
  try {
    await client.query(`SELECT pg_advisory_xact_lock(${migrationLock})`);
    await client.query(
      'CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL, oldest_program BIGINT NOT NULL)',
    );
    const { rows } = await client.query('SELECT version, oldest_program FROM schema_version');
    const found = {
      version: Number(rows[0]?.version ?? 0),
      oldest: Number(rows[0]?.oldest_program ?? 0),
    };
    if (found.oldest > present) throw isNewer(found.version);
    const missing = steps.filter(({ schema }) => schema > found.version);
    for (const { sql, schema, oldestProgram } of missing) {
      await client.query(sql);
      await client.query('DELETE FROM schema_version');
      await client.query('INSERT INTO schema_version VALUES ($1, $2)', [schema, oldestProgram]);
    }
    await client.query('COMMIT');
    return { from: found.version, to: Math.max(present, found.version) };
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

function isNewer(version: number): ForensicsError {
  return new ForensicsError(
    'schema_newer',
    `The database was written by a newer version of this program (schema ${version}, this program knows ${present}); install the newer version.`,
  );
}
