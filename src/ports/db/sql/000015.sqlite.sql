-- Search: an index of every three characters in names and comments. It stores no text, and refers to an analysis by
-- text_id because VACUUM may change the rowid.
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
