package web

import (
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
)

// meters are the request metrics. Routes are labelled by their pattern: ids and tokens never become labels.
type meters struct {
	took    *prometheus.HistogramVec
	flight  prometheus.Gauge
	streams prometheus.Gauge
}

func newMeters(reg prometheus.Registerer) (*meters, error) {
	m := &meters{
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "gatehouse", Subsystem: "http", Name: "request_seconds",
			Help:    "Time to answer a request, by route pattern, method and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"route", "method", "status"}),
		flight: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: "gatehouse", Subsystem: "http", Name: "requests_in_flight", Help: "Requests being answered now.",
		}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: "gatehouse", Subsystem: "http", Name: "streams_open", Help: "Live streams to browsers and API clients.",
		}),
	}
	if reg == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.took, m.flight, m.streams} {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// observe logs and measures each request once, after its error was answered. The log names the route's pattern and not
// the address: addresses carry one-time tokens. Bodies, cookies and queries are never logged.
func (h *host) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := time.Now() // measures, decides nothing
		h.meters.flight.Inc()
		defer h.meters.flight.Dec()
		c.Set(metersKey, h.meters)
		if err := next(c); err != nil {
			c.Error(err)
		}
		took := time.Since(start)
		route := pattern(c)
		res := c.Response()
		if !routeOf(c).Stream { // a stream's age is no latency
			h.meters.took.WithLabelValues(route, c.Request().Method, strconv.Itoa(res.Status)).Observe(took.Seconds())
		}
		h.deps.Log.InfoContext(c.Request().Context(), "request",
			"request_id", RequestID(c), "method", c.Request().Method, "route", route, "status", res.Status,
			"bytes", res.Size, "ms", float64(took.Microseconds())/1000, "address", c.RealIP())
		return nil
	}
}

const metersKey = "gatehouse.meters"

// pattern is the route's pattern, or "none" where no route matched.
func pattern(c echo.Context) string {
	if r := routeOf(c); r.Path != "" {
		return r.Path
	}
	return "none"
}
