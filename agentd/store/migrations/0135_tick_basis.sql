-- What the schedule did when the run of a tick began, its last try: a hash. Empty: no run was begun, or nobody noted it then.
ALTER TABLE schedule_ticks ADD COLUMN basis TEXT NOT NULL DEFAULT '';
