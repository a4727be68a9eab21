-- The record is looked up by how the e-mail address of a person begins.
CREATE INDEX audit_log_name ON audit_log (lower(by_name) text_pattern_ops, id DESC);
