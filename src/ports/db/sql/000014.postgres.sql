CREATE INDEX jobs_by_owner ON jobs (kind, owner, (coalesce(leased_until, run_at)), rowid);
