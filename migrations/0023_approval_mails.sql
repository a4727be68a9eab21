-- Mails to owners about approvals that have waited for a while. Each approval is mailed about once; what a mail lists is
-- read when it is sent, so that it names only what still waits.
CREATE TABLE approval_mails (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	customer_id uuid NOT NULL REFERENCES customers,
	created_at timestamptz NOT NULL
);
CREATE INDEX approval_mails_customer ON approval_mails (customer_id, created_at DESC);
ALTER TABLE approvals ADD COLUMN mail_id bigint REFERENCES approval_mails;
CREATE INDEX approvals_unmailed ON approvals (customer_id, created_at) WHERE state = 'pending' AND mail_id IS NULL;
CREATE INDEX approvals_mailed ON approvals (mail_id) WHERE mail_id IS NOT NULL;
