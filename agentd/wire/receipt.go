package wire

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Receipt is one record of the tamper-evident log on a server. Body never
// holds more than the gate put there; Hash is hex SHA-256 over PrevHash, "\n" and the canonical JSON of the rest.
type Receipt struct {
	Seq      int64           `json:"seq"`
	Time     time.Time       `json:"time"`
	Type     string          `json:"type"` // call.requested … config.applied
	RunID    string          `json:"run_id"`
	CallID   string          `json:"call_id"`
	Tool     string          `json:"tool"`
	Tier     string          `json:"tier"`
	Body     json.RawMessage `json:"body"`
	PrevHash string          `json:"prev_hash"`
	Hash     string          `json:"hash"`
}

// Checkpoint anchors the log outside the server: the hub keeps nothing of the log but these. It names the checkpoint
// that was made before it, with the hash that the log holds there now: a log that was set back or rewritten cannot go on
// from what the hub keeps.
type Checkpoint struct {
	Seq       int64     `json:"seq"`
	Hash      string    `json:"hash"`                // hash of receipt Seq
	PrevSeq   int64     `json:"prev_seq,omitempty"`  // the checkpoint before; 0 for the first
	PrevHash  string    `json:"prev_hash,omitempty"` // hash of receipt PrevSeq; of zeros for the first, empty before version 2
	Time      time.Time `json:"time"`
	KeyID     string    `json:"key_id"`
	Signature string    `json:"signature"` // Ed25519, base64url, over CheckpointText
}

// CheckpointText is what agentd signs for a checkpoint. One without PrevHash was made by an agentd of version 1, and may
// have waited in its outbox until a newer one sent it: the form says what was signed, not the link it came over.
func CheckpointText(serverID string, c Checkpoint) []byte {
	lines := []string{"gatehouse-checkpoint-v1", serverID, strconv.FormatInt(c.Seq, 10), c.Hash, c.Time.UTC().Format(time.RFC3339Nano)}
	if c.PrevHash != "" {
		lines[0] = "gatehouse-checkpoint-v2"
		lines = append(lines, strconv.FormatInt(c.PrevSeq, 10), c.PrevHash)
	}
	return []byte(strings.Join(lines, "\n"))
}

// HashesParams asks for the hashes of single receipts.
type HashesParams struct {
	Seqs []int64 `json:"seqs"` // at most MaxHashes
}

// MaxHashes is how many receipts one HashesParams may name.
const MaxHashes = 100

// HashesResult holds the hashes of those receipts that there are.
type HashesResult struct {
	Hashes map[int64]string `json:"hashes"` // by number
}
