-- Covers the columns that a search reads: an entry is a seventh of the size of its row.
DROP INDEX analyses_by_age;
CREATE INDEX analyses_by_age ON analyses (tenant_id, created_at DESC, id, name_folded, comment_folded,
  last_changed_by_type, last_changed_by_id) WHERE deleted_at IS NULL;
CREATE INDEX jobs_by_owner ON jobs (kind, owner, coalesce(leased_until, run_at));
