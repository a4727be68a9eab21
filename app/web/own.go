package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/static"
	"gatehouse/views/layout"
)

// own are the routes that belong to no surface.
func (h *host) own() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/healthz", For: Open, Do: healthy},
		{Method: http.MethodGet, Path: "/readyz", For: Open, Do: h.ready},
		{Method: http.MethodPost, Path: "/theme", For: Open, Do: h.chooseTheme},
		{Method: http.MethodPost, Path: layout.LanguagePath, For: Open, Do: h.chooseLanguage},
		{Method: http.MethodGet, Path: "/assets/*", For: Open, Do: h.asset, Cache: true},
		{Method: http.MethodGet, Path: static.WorkerPath, For: Open, Do: h.asset, Cache: true},
		{Method: http.MethodGet, Path: static.ManifestPath, For: Open, Do: h.asset, Cache: true},
	}
}

// healthy answers GET /healthz: the process serves requests.
func healthy(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

const readyWait = 2 * time.Second

// ready answers GET /readyz: what the hub needs is up. What is not is in the log, not in the answer.
func (h *host) ready(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), readyWait)
	defer cancel()
	if err := h.deps.Ready(ctx); err != nil {
		h.deps.Log.WarnContext(ctx, "not ready", "request_id", RequestID(c), "error", err)
		return c.String(http.StatusServiceUnavailable, "not ready\n")
	}
	return c.String(http.StatusOK, "ready\n")
}

// asset answers GET /assets/*, /sw.js and /manifest.webmanifest: embedded files, which say themselves how long they may be kept.
func (h *host) asset(c echo.Context) error {
	h.deps.Static.ServeHTTP(c.Response(), c.Request())
	return nil
}
