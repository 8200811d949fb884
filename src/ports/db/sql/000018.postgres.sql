CREATE SEQUENCE fingerprints_seq OWNED BY fingerprints.id;
CREATE FUNCTION number_fingerprint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN NEW.id := coalesce(NEW.id, nextval('fingerprints_seq')); RETURN NEW; END $$;
CREATE TRIGGER fingerprints_numbered BEFORE INSERT ON fingerprints
  FOR EACH ROW EXECUTE FUNCTION number_fingerprint();
