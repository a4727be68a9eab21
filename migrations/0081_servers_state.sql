-- The servers of a state, newest first, and how many there are.
CREATE INDEX servers_state ON servers (state, id DESC);
