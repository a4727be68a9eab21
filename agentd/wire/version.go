package wire

// Version is the protocol version that this program speaks, Oldest the oldest that it still understands at the other end.
// The hub is brought up to date before the servers: it opens in Oldest, and answers in the version of the server.
//
// History: 1 is the first version. 2: a checkpoint names the one before it, and a server answers receipts.hashes. 3: a
// heartbeat measures processor, network and containers, a server renews the key of its link, and takes signed commands. 4: a
// server reports what its agents used of models, and answers usage.sums. 5: a server keeps schedules (schedule.go) and
// remembers (memory.go). 6: a server has sub-agents (subagent.go), stops one run alone, has hooks (hook.go) and rules on
// events (eventrule.go), names the files of memory that it does not read, and its owner shapes the team (team.go) and says which
// tools it sees (toollimits.go).
const (
	Version = 6
	Oldest  = 1
)

// Understood says whether a peer of version v can be spoken with.
func Understood(v int) bool { return v >= Oldest && v <= Version }

// MaxFrame is the largest frame in bytes that either end accepts; larger bodies travel in parts.
const MaxFrame = 1 << 20
