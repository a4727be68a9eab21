package team

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/relay"
	"gatehouse/app/server"
)

// crewWait is how long a server is waited for.
const crewWait = 10 * time.Second

// Crew is what owners do with which agents there are. It is all kept on their server; the hub records that somebody changed
// something. Every method reaches the customer's own server and no other.
type Crew struct {
	Peer   server.Peer
	Record Record
	Live   Live
	Begin  func(ctx context.Context, of account.CustomerID, who wire.Origin, edit Edit) (wire.Config, error) // Service.Change
	Now    func() time.Time
	Log    *slog.Logger
}

// Library gives what the team can be made of.
func (s *Crew) Library(ctx context.Context, of account.CustomerID) (wire.TeamLibrary, error) {
	return server.Ask[wire.TeamLibrary](ctx, s.Peer, of, wire.MethodTeamLibrary, nil, crewWait)
}

// Member gives an agent of the team with its files.
func (s *Crew) Member(ctx context.Context, of account.CustomerID, agent string) (wire.TeamMember, error) {
	return server.Ask[wire.TeamMember](ctx, s.Peer, of, wire.MethodTeamMember, wire.TeamMemberParams{Agent: agent}, crewWait)
}

// History gives the versions of a file of an agent that its server keeps.
func (s *Crew) History(ctx context.Context, of account.CustomerID, p wire.TeamHistoryParams) (wire.TeamHistory, error) {
	return server.Ask[wire.TeamHistory](ctx, s.Peer, of, wire.MethodTeamHistory, p, crewWait)
}

// Change carries an act of a person. The server checks the signature, and does each act once.
func (s *Crew) Change(ctx context.Context, of account.CustomerID, c wire.TeamChange) (wire.TeamDone, error) {
	done, err := server.Ask[wire.TeamDone](ctx, s.Peer, of, wire.MethodTeamChange, c, crewWait)
	if err != nil {
		return done, err
	}
	if c.Act.Do == wire.TeamDoCreate {
		s.begin(ctx, of, c)
	}
	err = s.Record.Add(ctx, audit.Entry{
		ID: uuid.Must(uuid.NewV7()).String(), At: s.Now().UTC(),
		By:         audit.Actor{Kind: audit.User, ID: c.By.UserID, Name: c.By.Name, Address: c.By.Address},
		CustomerID: string(of), Action: "team." + string(c.Act.Do), Target: c.Act.Agent,
	})
	if err != nil {
		return done, fmt.Errorf("record of a change of the team: %w", err)
	}
	if err := s.Live.Notify(relay.Notice{Kind: relay.KindConfig, CustomerID: string(of), ID: c.Act.Agent}); err != nil {
		s.Log.WarnContext(ctx, "pages not told of the team", "error", err)
	}
	return done, nil
}

// beginning is the level at which an agent of the owner's own begins. Its server sees to that by itself; the settings say it too, so
// that pages show it, and a rise is offered for signing as one.
const beginning = 1

func (s *Crew) begin(ctx context.Context, of account.CustomerID, c wire.TeamChange) {
	who := wire.Origin{Channel: c.By.Channel, UserID: c.By.UserID, Email: c.By.Name, Address: c.By.Address}
	_, err := s.Begin(ctx, of, who, func(set *wire.Config) error {
		if set.Agents[c.Act.Agent].Level != 0 {
			return nil // the same act again
		}
		return Level(c.Act.Agent, beginning)(set)
	})
	if err != nil {
		s.Log.WarnContext(ctx, "settings do not say at which level a new agent begins", "agent", c.Act.Agent, "error", err)
	}
}
