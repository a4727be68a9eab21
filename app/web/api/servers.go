package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/app/server"
	"gatehouse/app/web/graph"
)

var errNoServer = fault.New(fault.NotFound, "no-server", "no such server", "There is no such server.")

// serverID is the id in the path.
func serverID(c echo.Context) (server.ID, error) {
	v := c.Param("id")
	if uuid.Validate(v) != nil {
		return "", errNoServer
	}
	return server.ID(v), nil
}

// health is the last heartbeat of a server, as far as staff see it.
type health struct {
	UptimeS    int64   `json:"uptime_s"`
	Load       float64 `json:"load_1"`
	Cores      int     `json:"cores"`
	MemTotal   int64   `json:"mem_total"`
	MemUsed    int64   `json:"mem_used"`
	DiskTotal  int64   `json:"disk_total"`
	DiskUsed   int64   `json:"disk_used"`
	Runs       int     `json:"runs_active"`
	Pending    int     `json:"approvals_pending"`
	Config     int64   `json:"config_version"`
	Running    *int    `json:"containers_running"` // null: no container engine can be asked
	Containers *int    `json:"containers"`
}

type adminServerDetail struct {
	adminServer
	Health *health `json:"health"` // null before the first heartbeat
}

// adminServer answers GET admin/servers/{id}.
func (h *handler) adminServer(c echo.Context) error {
	id, err := serverID(c)
	if err != nil {
		return err
	}
	s, err := h.Servers.Find(c.Request().Context(), id)
	if err != nil {
		return err
	}
	d := adminServerDetail{adminServer: adminServerOf(s)}
	if b := s.Beat; b != nil {
		d.Health = &health{
			UptimeS: b.UptimeS, Load: b.LoadOne, Cores: b.Cores, MemTotal: b.MemTotal, MemUsed: b.MemTotal - b.MemFree,
			DiskTotal: b.DiskTotal, DiskUsed: b.DiskTotal - b.DiskFree, Runs: b.RunsActive, Pending: b.Pending, Config: b.ConfigVersion,
		}
		if n := b.Containers; n != nil {
			d.Health.Running, d.Health.Containers = &n.Running, &n.Total
		}
	}
	return c.JSON(http.StatusOK, d)
}

type metrics struct {
	Span  server.Span    `json:"span"`
	From  time.Time      `json:"from"`
	To    time.Time      `json:"to"`
	StepS int            `json:"step_s"`
	Items []metricsPoint `json:"items"` // a step without heartbeats is left out
}

type metricsPoint struct {
	At         time.Time `json:"at"`
	Heartbeats int       `json:"heartbeats"`
	CPU        *stat     `json:"cpu"` // shares, 0 to 1
	Mem        *stat     `json:"mem"`
	Disk       *stat     `json:"disk"`
	NetIn      *stat     `json:"net_in"` // bytes a second
	NetOut     *stat     `json:"net_out"`
	Containers *stat     `json:"containers"` // that run
}

type stat struct {
	Min float64 `json:"min"`
	Avg float64 `json:"avg"`
	Max float64 `json:"max"`
}

func statOf(s server.Stat) *stat {
	if !s.Known {
		return nil
	}
	return &stat{s.Min, s.Avg, s.Max}
}

func metricsOf(c server.Chart) metrics {
	m := metrics{Span: c.Span, From: c.From, To: c.To, StepS: int(c.Step.Seconds()), Items: []metricsPoint{}}
	for _, p := range c.Points {
		m.Items = append(m.Items, metricsPoint{
			At: p.At, Heartbeats: p.Beats, CPU: statOf(p.CPU), Mem: statOf(p.Mem), Disk: statOf(p.Disk), NetIn: statOf(p.NetIn),
			NetOut: statOf(p.NetOut), Containers: statOf(p.Boxes),
		})
	}
	return m
}

// adminMetrics answers GET admin/servers/{id}/metrics.
func (h *handler) adminMetrics(c echo.Context) error {
	id, err := serverID(c)
	if err != nil {
		return err
	}
	if _, err := h.Servers.Find(c.Request().Context(), id); err != nil {
		return err
	}
	v, err := h.Servers.Chart(c.Request().Context(), id, graph.SpanOf(c.QueryParam("span")))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, metricsOf(v))
}

// metrics answers GET customer/server/metrics.
func (h *handler) metrics(c echo.Context) error {
	v, err := h.Servers.ChartOf(c.Request().Context(), customerOf(c), graph.SpanOf(c.QueryParam("span")))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, metricsOf(v))
}
