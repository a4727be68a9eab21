-- Orders of some days are sorted by their last change out of the index alone.
DROP INDEX orders_created;
CREATE INDEX orders_created ON orders (created_at, id) INCLUDE (updated_at);
