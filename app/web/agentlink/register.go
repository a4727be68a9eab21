package agentlink

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
)

// errBody says that a registration is no JSON object of the known fields.
var errBody = fault.New(fault.Malformed, "bad-request", "registration body does not fit", "The body must be one JSON object with token, public_key, seal_key and agentd_version.")

// register answers POST /api/v1/tenant/register: the one-time token proves who asks.
func (h *Handler) register(c echo.Context) error {
	dec := json.NewDecoder(c.Request().Body)
	dec.DisallowUnknownFields()
	var r wire.RegisterRequest
	if err := dec.Decode(&r); err != nil {
		return errors.Join(errBody, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errBody
	}
	answer, err := h.d.Servers.Register(c.Request().Context(), r, c.RealIP())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, answer)
}
