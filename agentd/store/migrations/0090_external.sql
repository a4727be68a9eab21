-- How agentd stands with the external vault from which secrets may come: what the operator's commands ask for and read.
-- No value and no credential. Where each secret comes from stands with the secret, under the vault's root.
CREATE TABLE vault_external (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    address   TEXT NOT NULL,               -- as agentd was told; empty: of none
    trouble   TEXT NOT NULL,               -- empty: it answers
    looked_at INTEGER NOT NULL,            -- when agentd last asked it, Unix microseconds; 0: never
    asked     INTEGER NOT NULL,            -- looks that commands have asked for, counted
    done      INTEGER NOT NULL             -- how many of them are done
) STRICT;
INSERT INTO vault_external (id, address, trouble, looked_at, asked, done) VALUES (1, '', '', 0, 0, 0);
