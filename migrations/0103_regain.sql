-- An owner who lost everything: two of our staff, three days, and mails to every known address of the business.
CREATE TABLE regain_cases (
	id           uuid PRIMARY KEY,
	customer_id  uuid NOT NULL REFERENCES customers ON DELETE CASCADE,
	user_id      uuid NOT NULL REFERENCES users ON DELETE CASCADE,
	email        text NOT NULL CHECK (email <> ''), -- the new address of the owner
	old_email    text NOT NULL CHECK (old_email <> ''),
	reason       text NOT NULL CHECK (reason <> ''),
	checked      text NOT NULL CHECK (checked <> ''), -- how it was made sure that it is them
	state        text NOT NULL CHECK (state IN ('opened', 'waiting', 'done', 'stopped')),
	opened_by    uuid NOT NULL REFERENCES staff,
	opened_name  text NOT NULL CHECK (opened_name <> ''),
	opened_at    timestamptz NOT NULL,
	confirmed_by uuid REFERENCES staff,
	confirmed_name text NOT NULL DEFAULT '',
	due          timestamptz,
	ended_at     timestamptz,
	ended_by     text NOT NULL DEFAULT '',
	CONSTRAINT regain_cases_two CHECK (confirmed_by IS NULL OR confirmed_by <> opened_by),
	CONSTRAINT regain_cases_due CHECK ((confirmed_by IS NULL) = (due IS NULL) AND (state NOT IN ('waiting', 'done') OR due IS NOT NULL)),
	CONSTRAINT regain_cases_ended CHECK ((state IN ('done', 'stopped')) = (ended_at IS NOT NULL))
);
CREATE UNIQUE INDEX regain_cases_one ON regain_cases (customer_id) WHERE state IN ('opened', 'waiting');
CREATE INDEX regain_cases_customer ON regain_cases (customer_id, id DESC);

-- Links in mails that stop a case.
CREATE TABLE regain_links (
	hash    bytea PRIMARY KEY CHECK (length(hash) = 32),
	case_id uuid NOT NULL REFERENCES regain_cases ON DELETE CASCADE,
	email   text NOT NULL CHECK (email <> '') -- to whom it was sent
);
CREATE INDEX regain_links_case ON regain_links (case_id);
