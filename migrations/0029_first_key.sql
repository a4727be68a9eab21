-- The key that the browser that ordered has made: its public half (SPKI, base64url), empty when it made none. The server is
-- given it before it first starts, and counts it from then on.
ALTER TABLE orders ADD COLUMN approver_key text NOT NULL DEFAULT '';

-- The signature of each server over the list of its approver keys, as it last reported them.
CREATE TABLE approver_lists (
	server_id uuid PRIMARY KEY REFERENCES servers ON DELETE CASCADE,
	card_key  text NOT NULL CHECK (card_key <> ''), -- with which the server signs
	sig       text NOT NULL CHECK (sig <> '')
);
