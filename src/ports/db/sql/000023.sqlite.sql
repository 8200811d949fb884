-- A search also finds the case, exhibit, examiner and tags: see foldDescription in src/service/analyses/rows.ts.
-- Version 0.10.0 only converted A to Z to lower case.
UPDATE analyses SET comment_folded = fold_text(concat_ws(char(10), project_id, case_data ->> 'exhibit',
  case_data ->> 'examiner', (SELECT group_concat(value, char(10)) FROM json_each(tags)), comment))
  WHERE project_id IS NOT NULL OR case_data IS NOT NULL OR tags <> '[]';
