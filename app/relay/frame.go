package relay

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
)

// NewFrame makes a frame for a server's outbox. Bodies of sealed types are closed to the server's key, so that the
// frame can be kept by those who may not read it. The outbox gives the frame its number.
func NewFrame(t wire.Type, sealKey string, body any, now time.Time) (wire.Frame, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return wire.Frame{}, fmt.Errorf("frame %s: %w", t, err)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return wire.Frame{}, fmt.Errorf("frame %s: %w", t, err)
	}
	f := wire.Frame{V: wire.Version, ID: id.String(), Type: t, Time: now.UTC(), Body: raw}
	if !t.Sealed() {
		return f, nil
	}
	box, err := wire.Seal(sealKey, wire.SealInfo(t, f.ID), raw)
	if err != nil {
		return wire.Frame{}, fmt.Errorf("frame %s: %w", t, err)
	}
	if f.Body, err = json.Marshal(box); err != nil {
		return wire.Frame{}, fmt.Errorf("frame %s: %w", t, err)
	}
	return f, nil
}
