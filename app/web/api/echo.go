package api

import (
	"encoding/json"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/web/jsonbody"
)

// maxEcho is the largest body that is sent round.
const maxEcho = 4 << 10

// echo answers POST echo with the body, after it went to the customer's server and back. Nothing of it is kept: it
// shows that the way is open, and how long it is.
func (h *handler) echo(c echo.Context) error {
	sent, err := io.ReadAll(io.LimitReader(c.Request().Body, maxEcho+1))
	if err != nil {
		return err
	}
	if len(sent) > maxEcho || !json.Valid(sent) {
		return jsonbody.Bad("Send JSON of at most 4 KB.")
	}
	back, err := h.Chat.Echo(c.Request().Context(), customerOf(c), sent)
	if err != nil {
		return err
	}
	return c.JSONBlob(http.StatusOK, back)
}
