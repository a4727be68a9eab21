package api

import (
	"strconv"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/web"
	"gatehouse/app/web/jsonbody"
)

// events answers GET chat/{run}/events with the run's numbered events, from Last-Event-ID on, until the last one.
func (h *handler) events(c echo.Context) error {
	run, err := idParam(c, "run")
	if err != nil {
		return err
	}
	from, err := lastEvent(c)
	if err != nil {
		return err
	}
	events, err := h.Chat.Events(c.Request().Context(), customerOf(c), run, from)
	if err != nil {
		return err // before the stream begins, so that it is a problem document
	}
	stream, err := web.SSE(c)
	if err != nil {
		return err
	}
	defer stream.Close()
	if err := web.Pump(stream, events.C, func(e wire.RunEvent) error {
		return stream.Send(strconv.FormatInt(e.N, 10), string(e.Event), e.Data)
	}); err != nil {
		return err
	}
	return events.Err()
}

func lastEvent(c echo.Context) (int64, error) {
	v := c.Request().Header.Get("Last-Event-ID")
	if v == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 0 {
		return 0, jsonbody.Bad("Last-Event-ID must be the id of an event of this run.")
	}
	return n, nil
}
