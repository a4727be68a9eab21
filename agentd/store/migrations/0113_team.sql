-- What the owner has done with the agents of the team, each act once. One that is not done yet is prepared in the folder of agents.
CREATE TABLE team_acts (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    do TEXT NOT NULL,
    agent TEXT NOT NULL,
    hash TEXT NOT NULL,
    key_id TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    done INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX team_acts_open ON team_acts (seq) WHERE done = 0;
