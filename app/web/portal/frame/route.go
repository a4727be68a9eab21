package frame

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/web"
)

// Get is a page of the portal.
func Get(path string, do echo.HandlerFunc) web.Route {
	return web.Route{Method: http.MethodGet, Path: path, For: web.Customer, Do: do}
}

// Post takes a form of the portal.
func Post(path string, do echo.HandlerFunc) web.Route {
	return web.Route{Method: http.MethodPost, Path: path, For: web.Customer, Do: do}
}
