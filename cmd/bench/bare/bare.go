package bare

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/labstack/echo/v4"
)

// Kind names the variable that makes the bench be one of these programs.
const Kind = "GATEHOUSE_BENCH_BARE"

// The programs. Each prints a line when it can be used, the address where it has one, and serves until it is killed. Shell alone
// answers lines of its input, and ends with it.
const (
	Page  = "page"
	Hub   = "hub"
	Agent = "agent"
	Shell = "shell"
	Store = "store"
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
	case Shell:
		return answerShell(os.Stdin, os.Stdout)
	case Store:
		return openStore(ctx)
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
