-- The key that opens a server's link, since it renewed the one that it registered with; that one still signs cards and
-- checkpoints. The age of a key counts from when it came.
ALTER TABLE servers ADD COLUMN link_key text UNIQUE, ADD COLUMN link_key_at timestamptz,
	ADD COLUMN link_key_tried timestamptz, -- when the hub last asked for a new one
	ADD CONSTRAINT servers_link_key CHECK ((link_key IS NULL) = (link_key_at IS NULL) AND (link_key IS NULL OR public_key IS NOT NULL));
CREATE INDEX servers_link_key_age ON servers ((coalesce(link_key_at, registered_at))) WHERE state = 'online';
