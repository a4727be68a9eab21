-- The texts that files of agents had, each as an act of the owner left it, or as it was found there before one. Newest by seq.
CREATE TABLE team_files (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    agent TEXT NOT NULL,
    file TEXT NOT NULL,
    text TEXT NOT NULL,
    act TEXT NOT NULL, -- team_acts.id; empty: it was found there
    by_name TEXT NOT NULL,
    at INTEGER NOT NULL -- microseconds
) STRICT;
CREATE INDEX team_files_of ON team_files (agent, file, seq);
