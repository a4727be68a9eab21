-- Keys of our staff wait among the requests, too, and stay there: a server knows that a key is one of staff, the hub whose.
ALTER TABLE approver_requests
	ADD COLUMN staff_id uuid REFERENCES staff,
	ADD COLUMN answer text NOT NULL DEFAULT '' CHECK (answer IN ('', 'added', 'refused')),
	ADD CONSTRAINT approver_requests_answered CHECK (answer = '' OR staff_id IS NOT NULL);
CREATE INDEX approver_requests_staff ON approver_requests (staff_id, created_at DESC) WHERE staff_id IS NOT NULL;

-- When a key of staff allowed last.
CREATE INDEX audit_log_staff_keys ON audit_log (customer_id, (details->>'key_id'), at) WHERE by_kind = 'staff' AND action = 'approval.decide';
