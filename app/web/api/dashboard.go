package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

// dashboardRuns is how many runs the dashboard shows.
const dashboardRuns = 5

// dashboard is the answer to GET dashboard.
type dashboard struct {
	Server  serverBrief    `json:"server"`
	Pending int            `json:"pending"`
	Runs    []wire.RunInfo `json:"runs"` // null while the server is away
}

type serverBrief struct {
	ID       string     `json:"id"`
	State    string     `json:"state"`
	LastSeen *time.Time `json:"last_seen"`
}

// dashboard answers GET dashboard. A server that is away costs its part alone.
func (h *handler) dashboard(c echo.Context) error {
	ctx, of := c.Request().Context(), customerOf(c)
	s, err := h.Servers.Of(ctx, of)
	if err != nil {
		return err
	}
	pending, err := h.Inbox.Pending(ctx, of)
	if err != nil {
		return err
	}
	runs, err := h.newest(ctx, of)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, dashboard{Server: brief(s), Pending: pending, Runs: runs})
}

func (h *handler) newest(ctx context.Context, of account.CustomerID) ([]wire.RunInfo, error) {
	res, err := h.Chat.Runs(ctx, of, wire.ListParams{Limit: dashboardRuns})
	switch {
	case err == nil && res.Items == nil:
		return []wire.RunInfo{}, nil
	case err != nil && fault.Of(err).Kind == fault.Away:
		return nil, nil
	}
	return res.Items, err
}

func brief(s server.Server) serverBrief {
	b := serverBrief{ID: string(s.ID), State: string(s.State)}
	if !s.BeatAt.IsZero() {
		b.LastSeen = &s.BeatAt
	}
	return b
}
