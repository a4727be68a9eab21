-- The credit note whose money goes back with a refund; none: it goes back by itself, or before there was an invoice.
ALTER TABLE refunds ADD COLUMN credit_id uuid REFERENCES credit_notes;
CREATE INDEX refunds_credit ON refunds (credit_id) WHERE credit_id IS NOT NULL;
