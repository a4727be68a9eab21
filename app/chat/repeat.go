package chat

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
)

// place is where the answer to a message comes.
type place struct {
	RunID     string `json:"run_id"`
	SessionID string `json:"session_id"`
}

// placeOf gives a message its run, and its conversation if it has none yet: new ones, or those that it was given when it
// was sent before. They are on record before anything is sent, so that a repeat is the same message whatever was lost on
// the way. Run ids are always ours: they tell the order of messages and when each was sent.
func (s *Service) placeOf(ctx context.Context, of account.CustomerID, from wire.Origin, m Message) (place, error) {
	at := place{RunID: newID(), SessionID: cmp.Or(m.SessionID, newID())}
	if m.Once == "" {
		return at, nil
	}
	mine, err := json.Marshal(at)
	if err != nil {
		return place{}, fmt.Errorf("place of message: %w", err)
	}
	digest, err := m.digest(from)
	if err != nil {
		return place{}, err
	}
	first, err := s.Repeats.Pin(ctx, "chat:"+string(of), digest, mine, s.Now().UTC())
	if err != nil {
		return place{}, fmt.Errorf("place of message: %w", err)
	}
	if err := json.Unmarshal(first, &at); err != nil {
		return place{}, fmt.Errorf("place of message: %w", err)
	}
	return at, nil
}

// digest is equal for the tries of one person to send one message, and for nothing else.
func (m Message) digest(from wire.Origin) ([]byte, error) {
	told := []string{from.Channel, from.UserID, from.Email, m.Once, m.SessionID, m.Agent, m.Text}
	all, err := json.Marshal(append(told, m.Files...))
	if err != nil {
		return nil, fmt.Errorf("digest of message: %w", err)
	}
	sum := sha256.Sum256(all)
	return sum[:], nil
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }
