package frame

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/web"
)

// Get is a page of the portal, for people who have a right.
func Get(path string, right account.Right, do echo.HandlerFunc) web.Route {
	return web.Route{Method: http.MethodGet, Path: path, For: web.Customer, Right: right, Do: do}
}

// Post takes a form of the portal, from people who have a right.
func Post(path string, right account.Right, do echo.HandlerFunc) web.Route {
	return web.Route{Method: http.MethodPost, Path: path, For: web.Customer, Right: right, Do: do}
}
