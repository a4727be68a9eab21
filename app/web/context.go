package web

import (
	"context"

	"github.com/labstack/echo/v4"
)

// Context is what views are rendered with: handlers use it where they need a word of the catalogue themselves.
func Context(c echo.Context) context.Context { return viewContext(c) }
