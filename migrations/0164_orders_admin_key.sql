-- The owner's own SSH key, with which they sign in to their server: one public key as in authorized_keys, without its comment.
ALTER TABLE orders ADD COLUMN admin_key text NOT NULL DEFAULT '' CHECK (length(admin_key) <= 4096 AND position(E'\n' IN admin_key) = 0);
