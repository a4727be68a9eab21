-- Names of secrets are the customer's own: the server keeps them, the hub does not. What was recorded before loses them.
ALTER TABLE audit_log DISABLE TRIGGER audit_log_append_only;
UPDATE audit_log SET target = '' WHERE action LIKE 'secrets.%' AND target <> '';
ALTER TABLE audit_log ENABLE TRIGGER audit_log_append_only;
