-- Messengers that bring their messages to an address of the hub, and what they say later about a message that they took.
ALTER TABLE channels ADD COLUMN hook TEXT NOT NULL DEFAULT '';             -- the last part of that address
CREATE UNIQUE INDEX channels_hook ON channels (hook) WHERE hook <> '';
ALTER TABLE channel_outbox ADD COLUMN reported TEXT NOT NULL DEFAULT '' CHECK (reported IN ('', 'delivered', 'read', 'failed'));
CREATE INDEX channel_outbox_sent ON channel_outbox (channel, sent_id) WHERE state = 'sent' AND sent_id <> '';
