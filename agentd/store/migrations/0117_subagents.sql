-- Sub-agents: runs of their own that another run began for long or parallel work.
CREATE TABLE subagents (
    id             TEXT PRIMARY KEY,     -- of its run, the root of a tree of its own
    call_id        TEXT NOT NULL UNIQUE, -- the call that began it
    parent_run     TEXT NOT NULL,        -- the run that made the call
    parent_root    TEXT NOT NULL,        -- the root run above that
    parent_session TEXT NOT NULL,        -- the conversation that hears of its end
    chain          TEXT NOT NULL,        -- the agents that stand behind it, JSON: it stands no higher than any of them
    state          TEXT NOT NULL CHECK (state IN ('', 'completed', 'failed', 'timed_out', 'stopped')), -- empty while open
    told           TEXT NOT NULL,        -- the root run that was told of its end; empty: none yet; '-': nobody needs to be
    created_at     INTEGER NOT NULL,     -- Unix microseconds, as all times here
    ended_at       INTEGER NOT NULL      -- 0 while open
) STRICT;
CREATE INDEX subagents_root ON subagents (parent_root);
CREATE INDEX subagents_session ON subagents (parent_session);
CREATE INDEX subagents_open ON subagents (state) WHERE state = '';
CREATE INDEX subagents_told ON subagents (told);

-- A sub-agent, and the turn that its report begins, draw from the budgets of the run that began it.
ALTER TABLE runs ADD COLUMN budget_root TEXT NOT NULL DEFAULT '';
CREATE INDEX runs_budget ON runs (budget_root, id) WHERE budget_root <> '';

-- A stop can be meant for one run alone.
ALTER TABLE run_cancels ADD COLUMN alone INTEGER NOT NULL DEFAULT 0;
