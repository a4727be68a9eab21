package bare

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/labstack/echo/v4"
)

// Kind names the variable that makes the bench be one of these programs.
const Kind = "GATEHOUSE_BENCH_BARE"

// The programs. Each prints a line when it can be used, the address where it has one, and serves until it is killed.
const (
	Page  = "page"
	Hub   = "hub"
	Agent = "agent"
)

// Serve is the program of a kind.
func Serve(ctx context.Context, kind string) error {
	switch kind {
	case Page:
		return servePage(ctx)
	case Hub:
		return serveHub(ctx)
	case Agent:
		return serveAgent(ctx)
	}
	return fmt.Errorf("unknown program %q", kind)
}

// listen serves e on a free port and prints which.
func listen(ctx context.Context, e *echo.Echo) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return http.Serve(l, e) //nolint:gosec // loopback, for as long as the bench runs
}
