package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/team"
	"gatehouse/app/web/jsonbody"
)

// meaning is how the search by meaning stands.
type meaning struct {
	Model string     `json:"model"`
	Known int        `json:"known"`
	Notes int        `json:"notes"`
	Since *time.Time `json:"since"`
	Why   string     `json:"why"`
}

func meaningOf(m *wire.MemoryMeaning) *meaning {
	if m == nil {
		return nil
	}
	return &meaning{Model: m.Model, Known: m.Known, Notes: m.Notes, Since: unlessZero(m.Since), Why: m.Why}
}

// meaningRequest lets a model have the texts of notes, or none.
type meaningRequest struct {
	Model     string          `json:"model"`
	Version   int64           `json:"version"` // of the settings that the change makes, which the signature is bound to
	Signature *wire.Signature `json:"signature"`
}

// setMeaning answers PATCH memory/meaning. To switch it off needs no signature.
func (h *handler) setMeaning(c echo.Context) error {
	var in meaningRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	cfg, err := h.settle(c, team.Embeddings(in.Model), in.Version, in.Signature)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Version int64  `json:"version"`
		Model   string `json:"model"`
	}{cfg.Version, cfg.Spend.Embeddings})
}
