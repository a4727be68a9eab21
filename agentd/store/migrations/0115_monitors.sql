-- Monitors: schedules that look at a number and say when a condition begins to hold.
ALTER TABLE schedules ADD COLUMN condition TEXT NOT NULL DEFAULT '';   -- wire.ScheduleCondition, JSON; empty for others
ALTER TABLE schedules ADD COLUMN holds INTEGER NOT NULL DEFAULT 0;     -- whether it held when it was looked at last
ALTER TABLE schedules ADD COLUMN blind INTEGER NOT NULL DEFAULT 0;     -- looks in a row that gave no number
