package signing

import (
	"context"
	"strconv"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/team"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/portal"
)

// Team changes the settings of a team; team.Service does.
type Team interface {
	Change(ctx context.Context, of account.CustomerID, who wire.Origin, edit team.Edit) (wire.Config, error)
}

// Settings reads the settings of a team; team.Service does.
type Settings interface {
	State(ctx context.Context, of account.CustomerID) (team.State, error)
}

// Change carries out an edit of the settings, with the signature that the script has put into the form. An edit that lets
// agents do less needs none.
func Change(c echo.Context, t Team, edit team.Edit) (wire.Config, error) {
	version, sig, err := Fields(c)
	if err != nil {
		return wire.Config{}, err
	}
	return t.Change(c.Request().Context(), frame.Customer(c), frame.Origin(c), team.Signed(edit, version, sig))
}

// Fields reads what the script has put into a form: a signature, nil when there is none, and the version of the settings
// that it was made for. The version is -1, which no settings have, when the form names none.
func Fields(c echo.Context) (version int64, sig *wire.Signature, err error) {
	if sig, err = inbox.SignatureOf(c); err != nil {
		return 0, nil, err
	}
	if version, err = strconv.ParseInt(c.FormValue("version"), 10, 64); err != nil {
		version = -1
	}
	return version, sig, nil
}

// BoundTo is what a signed change is bound to, as the hub has it: the server and the configuration in force.
func BoundTo(c echo.Context, frames *frame.Frames, s Settings) (serverID string, config int64, err error) {
	ctx := c.Request().Context()
	srv, err := frames.Server(ctx, frame.Customer(c))
	if err != nil {
		return "", 0, err
	}
	set, err := s.State(ctx, frame.Customer(c))
	return string(srv.ID), set.InForce(), err
}

// Sync says whether the server runs what is set, and which version a change would make.
func Sync(s team.State) portal.SyncProps {
	return portal.SyncProps{
		Version: s.Config.Version, Server: string(s.ServerID), Next: s.Next(), Waiting: s.Waiting(), Error: s.Error, At: s.ReportedAt,
	}
}
