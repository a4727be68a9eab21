-- When the mail server refused a mail to somebody for good. Whoever has not confirmed their address gets no more mail about
-- waiting requests from then on; a confirmed address is used whatever stands here.
ALTER TABLE users ADD COLUMN mail_refused_at timestamptz;
