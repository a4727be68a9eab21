-- The language in which a person reads pages and mails; empty until they or their browser said one.
ALTER TABLE users ADD COLUMN locale text NOT NULL DEFAULT '' CHECK (length(locale) <= 16);
