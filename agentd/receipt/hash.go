package receipt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
)

// hashed is a record without its two hashes: the part that the chain covers besides PrevHash.
type hashed struct {
	Seq    int64           `json:"seq"`
	Time   time.Time       `json:"time"`
	Type   string          `json:"type"`
	RunID  string          `json:"run_id"`
	CallID string          `json:"call_id"`
	Tool   string          `json:"tool"`
	Tier   string          `json:"tier"`
	Body   json.RawMessage `json:"body"`
}

// HashOf computes the hash that r must carry: hex SHA-256 over PrevHash, a line feed, and the canonical JSON of the
// rest.
func HashOf(r wire.Receipt) (string, error) {
	rest, err := canonical.Of(hashed{r.Seq, r.Time.UTC(), r.Type, r.RunID, r.CallID, r.Tool, r.Tier, r.Body})
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write([]byte(r.PrevHash))
	h.Write([]byte{'\n'})
	h.Write(rest)
	return hex.EncodeToString(h.Sum(nil)), nil
}
