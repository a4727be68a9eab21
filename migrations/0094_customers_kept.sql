-- What our staff keep about a customer. Who made the customer is in the record of changes.
ALTER TABLE customers
	ADD COLUMN address text NOT NULL DEFAULT '' CHECK (length(address) <= 500),
	ADD COLUMN locale  text NOT NULL DEFAULT '' CHECK (length(locale) <= 16); -- of mails to people who have said none

-- The first person of a customer whom our staff made is invited by no person of the business, and becomes its owner.
ALTER TABLE invitations
	ALTER COLUMN invited_by DROP NOT NULL,
	ADD COLUMN role text NOT NULL DEFAULT 'member' CHECK (role IN ('owner', 'member')),
	ADD CONSTRAINT invitations_by_whom CHECK ((role = 'owner') = (invited_by IS NULL));
CREATE UNIQUE INDEX invitations_first ON invitations (customer_id) WHERE ended_at IS NULL AND role = 'owner';
CREATE UNIQUE INDEX invitations_first_email ON invitations (email_folded) WHERE ended_at IS NULL AND role = 'owner';

-- Notes of our staff: no customer reads them, and they stay as they were written.
CREATE TABLE customer_notes (
	id          uuid PRIMARY KEY,
	customer_id uuid NOT NULL REFERENCES customers,
	text        text NOT NULL CHECK (text <> '' AND length(text) <= 4000),
	at          timestamptz NOT NULL,
	by_id       uuid NOT NULL REFERENCES staff,
	by_name     text NOT NULL CHECK (by_name <> '')
);
CREATE INDEX customer_notes_customer ON customer_notes (customer_id, id DESC);
CREATE TRIGGER customer_notes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON customer_notes
	FOR EACH STATEMENT EXECUTE FUNCTION append_only();
