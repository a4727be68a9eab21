-- Access keys of our staff are listed by person, the newest first.
CREATE INDEX api_tokens_staff ON api_tokens (staff_id, id DESC) WHERE staff_id IS NOT NULL;
