CREATE INDEX analyses_pending ON analyses (tenant_id)
  WHERE status = 'pending' AND deleted_at IS NULL;
