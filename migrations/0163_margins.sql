-- What was invoiced and credited in a month, for the margins that our staff see.
CREATE INDEX invoices_issued ON invoices (issued_at);
CREATE INDEX credit_notes_issued ON credit_notes (issued_at);
