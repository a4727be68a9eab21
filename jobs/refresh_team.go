package jobs

import (
	"context"
	"fmt"

	"github.com/riverqueue/river"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
)

// RefreshTeamArgs names whose account changed, and who changed it; nobody: our staff did.
type RefreshTeamArgs struct {
	CustomerID string `json:"customer_id"`
	UserID     string `json:"user_id"`
}

// Kind is stored in rows: never rename.
func (RefreshTeamArgs) Kind() string { return "refresh_team" }

// InsertOpts lets every change be followed by a refresh of its own: a refresh that finds nothing new does nothing.
func (RefreshTeamArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueTeam, MaxAttempts: 12}
}

// People finds who changed something; account.Service does.
type People interface {
	User(ctx context.Context, of account.CustomerID, id account.UserID) (account.User, error)
}

// Team takes over what changed in an account; team.Service does.
type Team interface {
	Refresh(ctx context.Context, of account.CustomerID, who wire.Origin) error
}

// RefreshTeamWorker puts what changed in an account on its way to the customer's server.
type RefreshTeamWorker struct {
	river.WorkerDefaults[RefreshTeamArgs]
	People People
	Team   Team
}

// Work does one try. A customer without a server needs none: a server starts with the settings of that moment.
func (w *RefreshTeamWorker) Work(ctx context.Context, job *river.Job[RefreshTeamArgs]) error {
	of := account.CustomerID(job.Args.CustomerID)
	who, err := w.who(ctx, of, account.UserID(job.Args.UserID))
	if err == nil {
		err = w.Team.Refresh(ctx, of, who)
	}
	if err != nil && fault.Of(err).Kind != fault.NotFound {
		return fmt.Errorf("refresh team: %w", err)
	}
	return nil
}

// who is whom the server hears of as the one who changed something. Our staff are not named to it.
func (w *RefreshTeamWorker) who(ctx context.Context, of account.CustomerID, id account.UserID) (wire.Origin, error) {
	if id == "" {
		return wire.Origin{Channel: "operator"}, nil
	}
	u, err := w.People.User(ctx, of, id)
	return wire.Origin{UserID: string(u.ID), Email: u.Email, Channel: "portal"}, err
}
