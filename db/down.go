package db

import (
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Down says whether err means that the database cannot be reached, or went away in the middle: trying again in a while
// may help, and what was not acknowledged was not done, or can be looked up.
func Down(err error) bool {
	var dial *pgconn.ConnectError
	var broken *net.OpError
	switch {
	case err == nil:
		return false
	case errors.As(err, &dial), errors.As(err, &broken), errors.Is(err, driver.ErrBadConn), errors.Is(err, io.ErrUnexpectedEOF):
		return true
	}
	switch state := sqlState(err); state {
	case "57P01", "57P02", "57P03", "53300": // shutting down, crashed, starting, full
		return true
	default:
		return strings.HasPrefix(state, "08") || pgconn.SafeToRetry(err)
	}
}
