-- A link that was mailed can sign its person in.
ALTER TABLE mail_links DROP CONSTRAINT mail_links_kind_check;
ALTER TABLE mail_links ADD CONSTRAINT mail_links_kind_check CHECK (kind IN ('verify', 'reset', 'sign_in'));
