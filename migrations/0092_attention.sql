-- What needs one of our staff is counted whenever a first page of the console is open.
CREATE INDEX servers_away ON servers (state, id) WHERE state IN ('degraded', 'offline');
CREATE INDEX pool_machines_hands ON pool_machines (id) WHERE state = 'needs_hands';
CREATE INDEX staff_invitations_ended ON staff_invitations (expires_at) WHERE accepted_at IS NULL AND revoked_at IS NULL;
