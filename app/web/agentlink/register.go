package agentlink

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/jsonbody"
	"gatehouse/app/web/once"
)

// register answers POST /api/v1/tenant/register: the one-time token proves who asks.
func (h *Handler) register(c echo.Context) error {
	var r wire.RegisterRequest
	if err := jsonbody.Decode(c, &r); err != nil {
		return err
	}
	answer, err := h.d.Servers.Register(c.Request().Context(), r, c.RealIP())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, answer)
}

// once is how a registration happens once: keys belong to the token, so that nobody reads another's answer. Only the
// answer that grants is kept: anybody may be refused, and must not fill the table.
func (h *Handler) once() once.Guard {
	return once.Guard{
		Replays: h.d.Replays, Now: h.d.Now, Who: bearer, Keep: func(status int) bool { return status == http.StatusCreated },
	}
}

// bearer is who comes with a token, "" without one.
func bearer(_ echo.Context, raw []byte) string {
	var r wire.RegisterRequest
	if json.Unmarshal(raw, &r) != nil || r.Token == "" {
		return "" // the handler says what is wrong
	}
	sum := sha256.Sum256([]byte(r.Token))
	return "register:" + hex.EncodeToString(sum[:])
}
