-- What servers measured, heartbeat by heartbeat, then in steps of five minutes and of an hour. A hub drops what is too old by
-- itself; nobody makes or removes partitions while it runs.
CREATE TABLE server_history (
	server_id uuid NOT NULL REFERENCES servers ON DELETE CASCADE,
	step      smallint NOT NULL CHECK (step IN (0, 300, 3600)), -- seconds; 0: one heartbeat
	at        timestamptz NOT NULL, -- by the hub's clock: when the heartbeat came, or when the step begins
	n         int NOT NULL DEFAULT 1 CHECK (n > 0), -- heartbeats
	cpu real, mem real, disk real, -- shares, 0 to 1: the mean
	net_in real, net_out real,     -- bytes a second
	containers real,               -- that run
	-- the least and the most in a step; NULL in a heartbeat, where both are the value itself
	cpu_min real, cpu_max real, mem_min real, mem_max real, disk_min real, disk_max real,
	net_in_min real, net_in_max real, net_out_min real, net_out_max real, containers_min real, containers_max real,
	PRIMARY KEY (server_id, step, at)
) PARTITION BY LIST (step);
CREATE TABLE server_history_beats PARTITION OF server_history FOR VALUES IN (0);
CREATE TABLE server_history_5min PARTITION OF server_history FOR VALUES IN (300);
CREATE TABLE server_history_hours PARTITION OF server_history FOR VALUES IN (3600);
-- Rows come in the order of time, so a few bytes for many pages are enough to find those of an hour, or the oldest.
CREATE INDEX server_history_beats_at ON server_history_beats USING brin (at) WITH (pages_per_range = 32, autosummarize = on);
CREATE INDEX server_history_5min_at ON server_history_5min USING brin (at) WITH (pages_per_range = 32, autosummarize = on);
CREATE INDEX server_history_hours_at ON server_history_hours USING brin (at) WITH (pages_per_range = 32, autosummarize = on);

-- How far the history was worked through: of each step, until when it is complete, and from when on rows are left.
CREATE TABLE server_history_marks (
	step  smallint PRIMARY KEY CHECK (step IN (0, 300, 3600)),
	until timestamptz NOT NULL, -- step 0: unused
	since timestamptz NOT NULL
);
