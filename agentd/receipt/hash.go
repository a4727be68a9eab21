package receipt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
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
	return hashText(append([]byte(r.PrevHash+"\n"), rest...)), nil
}

func hashText(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// appendChained writes the text that HashOf hashes, for a record whose body is canonical already, as it is when it is made. It
// writes the canonical form in one go instead of parsing its own output; whoever verifies takes HashOf.
func appendChained(out []byte, r wire.Receipt) ([]byte, error) {
	out = append(append(out, r.PrevHash...), '\n')
	out = append(append(out, `{"body":`...), r.Body...)
	for _, f := range []struct{ name, text string }{{"call_id", r.CallID}, {"run_id", r.RunID}, {"seq", ""}, {"tier", r.Tier}, {"time", stamp(r.Time)}, {"tool", r.Tool}, {"type", r.Type}} {
		out = append(append(append(out, `,"`...), f.name...), `":`...)
		if f.name == "seq" {
			out = strconv.AppendInt(out, r.Seq, 10)
			continue
		}
		var err error
		if out, err = appendText(out, f.text); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

// appendText writes a string in canonical JSON.
func appendText(out []byte, s string) ([]byte, error) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			text, err := canonical.Of(s)
			return append(out, text...), err
		}
	}
	return append(append(append(out, '"'), s...), '"'), nil
}
