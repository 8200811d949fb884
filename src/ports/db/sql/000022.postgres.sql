-- A search also finds the case, exhibit, examiner and tags: see foldDescription in src/service/analyses/rows.ts. As JSON
-- texts in their quotes, because PostgreSQL cannot convert an escaped U+0000.
UPDATE analyses SET comment_folded = lower(concat_ws(chr(10), project_id, case_data::json -> 'exhibit',
  case_data::json -> 'examiner', nullif(tags, '[]'))) || chr(10) || comment_folded
  WHERE project_id IS NOT NULL OR case_data IS NOT NULL OR tags <> '[]';
