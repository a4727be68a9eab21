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

// Checkpoint anchors the log outside the server: the hub keeps nothing of the log but these.
type Checkpoint struct {
	Seq       int64     `json:"seq"`
	Hash      string    `json:"hash"` // hash of receipt Seq
	Time      time.Time `json:"time"`
	KeyID     string    `json:"key_id"`
	Signature string    `json:"signature"` // Ed25519, base64url, over CheckpointText
}

// CheckpointText is what agentd signs for a checkpoint.
func CheckpointText(serverID string, c Checkpoint) []byte {
	return []byte(strings.Join([]string{"gatehouse-checkpoint-v1", serverID, strconv.FormatInt(c.Seq, 10), c.Hash, c.Time.UTC().Format(time.RFC3339Nano)}, "\n"))
}
