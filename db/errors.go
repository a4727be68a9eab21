package db

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"gatehouse/app/fault"
)

// What Postgres says, in the kinds of package fault. Test with errors.Is.
var (
	ErrNotFound = fault.New(fault.NotFound, "not-found", "no such row",
		"We could not find this. It may have been removed, or the link is incomplete.")
	ErrExists = fault.New(fault.Conflict, "exists", "row exists already",
		"This already exists. Nothing was changed.")
	ErrChanged = fault.New(fault.Conflict, "changed", "the data changed meanwhile",
		"This has changed since you opened the page. Nothing was saved. Reload the page and try again.")
	ErrBusy = fault.New(fault.Conflict, "busy", "lock not available in time",
		"Someone else is changing this right now. Nothing was saved. Try again in a moment.")
	ErrIllegal = fault.New(fault.Conflict, "illegal-transition", "the database refused a change of state",
		"This is no longer possible. Nothing was changed. Reload the page to see why.")
)

// SQLSTATEs that have a meaning outside. illegalState is raised by triggers of ours.
const (
	uniqueViolation  = "23505"
	foreignKey       = "23503"
	invalidText      = "22P02"
	serialization    = "40001"
	deadlock         = "40P01"
	lockNotAvailable = "55P03"
	illegalState     = "GH001"
)

// toFault puts err under the fault it stands for, so that edges answer rightly, and keeps the cause for the log. What
// has no meaning outside is returned as it is.
func toFault(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, sql.ErrNoRows) || errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	if f := ofState(sqlState(err)); f != nil {
		return fmt.Errorf("%w: %w", f, err)
	}
	return err
}

func ofState(code string) *fault.Fault {
	switch code {
	case invalidText, foreignKey: // an id that is none, or that names nothing
		return ErrNotFound
	case uniqueViolation:
		return ErrExists
	case serialization, deadlock:
		return ErrChanged
	case lockNotAvailable:
		return ErrBusy
	case illegalState:
		return ErrIllegal
	}
	return nil
}

func sqlState(err error) string {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		return pe.Code
	}
	return ""
}

// violated says whether err is the refusal of the named constraint or index.
func violated(err error, constraint string) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && pe.ConstraintName == constraint
}
