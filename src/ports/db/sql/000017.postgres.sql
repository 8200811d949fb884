-- Which formats are taken is a setting, not a rule of the table.
ALTER TABLE analyses DROP CONSTRAINT IF EXISTS analyses_format_check;
