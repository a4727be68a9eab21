-- The photo of one of our staff: the name of its file where photos are kept. NULL: none.
ALTER TABLE staff ADD COLUMN photo text CHECK (photo <> '');
