-- The id of the credential, when the key that came with an order is a passkey (base64url); empty for a key of the browser itself.
ALTER TABLE orders ADD COLUMN approver_passkey text NOT NULL DEFAULT '';
