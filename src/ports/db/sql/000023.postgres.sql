-- A search also finds the case, exhibit, examiner and tags: see foldDescription in src/service/analyses/rows.ts.
-- Version 0.10.0 stored them as JSON, in the database's own lower case.
-- PostgreSQL cannot convert an escaped U+0000. A build without ICU folds only A to Z.
DO $$
DECLARE folding text := coalesce((SELECT max(quote_ident(collname)) FROM pg_collation WHERE collname = 'und-x-icu'), '"C"');
BEGIN
  EXECUTE format($update$
    UPDATE analyses SET comment_folded = replace(lower(upper(concat_ws(chr(10), project_id,
      facts ->> 'exhibit', facts ->> 'examiner', (SELECT string_agg(value, chr(10)) FROM json_array_elements_text(words)), comment)
      COLLATE %1$s) COLLATE %1$s), 'ς', 'σ')
      FROM (SELECT id AS described, regexp_replace(case_data, '(?<!\\)((?:\\\\)*)\\u0000', '\1', 'g')::json AS facts,
        regexp_replace(tags, '(?<!\\)((?:\\\\)*)\\u0000', '\1', 'g')::json AS words FROM analyses
        WHERE project_id IS NOT NULL OR case_data IS NOT NULL OR tags <> '[]') AS texts
      WHERE id = described
  $update$, folding);
END $$;
