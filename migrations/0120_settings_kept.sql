-- A change of a setting also says what was in force after it, and a secret value is kept sealed, never in clear.
ALTER TABLE setting_changes
	ADD COLUMN now    text,  -- in force after the change; NULL in rows from before there was this column
	ADD COLUMN sealed bytea, -- the value of a secret setting, closed with the key file
	ADD CONSTRAINT setting_changes_one_value CHECK (value IS NULL OR sealed IS NULL);
