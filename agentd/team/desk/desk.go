package desk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/store"
	"gatehouse/agentd/team"
	"gatehouse/agentd/wire"
)

// Store is the SQLite state; store.DB is one.
type Store interface {
	Read() *store.Reader
	Write(ctx context.Context, fn func(tx *sql.Tx) error) error
	Exec(tx *sql.Tx, query string, args ...any) (sql.Result, error)
	QueryRow(tx *sql.Tx, query string, args ...any) *sql.Row
}

// Receipts is the log of this server; receipt.Log is one.
type Receipts interface {
	Append(tx *sql.Tx, e receipt.Entry) (wire.Receipt, error)
}

// Approvers checks what people sign; approver.Keys is one.
type Approvers interface {
	// Change checks the signature of a change and uses it up in tx. It says whose key it was. Its errors that a person may
	// read are *wire.RPCError.
	Change(ctx context.Context, tx *sql.Tx, k wire.ChangeKind, body any, s *wire.Signature) (by string, err error)
}

// Deps is what a Desk stands on.
type Deps struct {
	Store    Store
	Receipts Receipts
	Signed   Approvers
	Folders  team.Folders
	Load     func() (*team.Team, error)      // reads the team as its folders say it now
	Live     *team.Live                      // where it is put in force
	Changed  func(ctx context.Context) error // called when the team has become another one; may be nil
	Left     func(agent string) bool         // says whether anything is kept for an id that is no agent's; nil: nothing is
	Begins   func(agent string)              // called before a new agent of the owner's own is there; may be nil
	Now      func() time.Time
	Log      *slog.Logger
}

// Desk answers the owner.
type Desk struct {
	d  Deps
	mu sync.Mutex // one act at a time
}

// New makes a desk.
func New(d Deps) *Desk { return &Desk{d: d} }

// Methods are the questions that the desk answers.
func (d *Desk) Methods() rpc.Methods {
	how := rpc.Params{Unreadable: "This question about the team cannot be read.", Strict: true}
	return rpc.Methods{
		wire.MethodTeamLibrary: rpc.Without(d.library),
		wire.MethodTeamMember:  rpc.With(how, d.member),
		wire.MethodTeamHistory: rpc.With(how, d.history),
		wire.MethodTeamChange:  rpc.With(how, d.change),
	}
}

// library lists what the team can be made of.
func (d *Desk) library(context.Context) (wire.TeamLibrary, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := wire.TeamLibrary{Items: []wire.TeamTemplate{}, Archived: []wire.TeamTemplate{}, Profiles: d.d.Live.Now().Profiles()}
	ids, err := d.d.Folders.Library.IDs()
	if err != nil {
		return out, err
	}
	for _, id := range ids {
		files, err := d.d.Folders.Library.Files(id)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, d.template(id, files))
	}
	away, err := d.d.Folders.Archived()
	if err != nil {
		return out, err
	}
	for _, id := range away {
		if slices.Contains(ids, id) {
			continue
		}
		t := wire.TeamTemplate{ID: id}
		if files, err := d.d.Folders.ReadArchived(id); err != nil {
			t.Broken = err.Error()
		} else {
			t = d.described(id, files)
		}
		t.State = wire.TeamArchived
		out.Archived = append(out.Archived, t)
	}
	return out, nil
}

// template is one entry of the library, with where it stands.
func (d *Desk) template(id string, shipped team.Files) wire.TeamTemplate {
	t := d.described(id, shipped)
	t.State = wire.TeamWaiting
	switch state, files, err := d.stands(id); {
	case err != nil:
		t.State, t.Broken = state, err.Error()
	case state == wire.TeamArchived:
		t = d.described(id, files)
		t.State = state
	case state == wire.TeamAtWork:
		updates, err := d.d.Folders.Updates(id)
		t.State, t.Seen, t.Update = state, seenOf(files, updates), len(updates) > 0 && err == nil
	case state == wire.TeamTaken:
		t.State = state
	}
	return t
}

// stands says where an agent stands, with its files unless it is in no folder.
func (d *Desk) stands(id string) (wire.TeamState, team.Files, error) {
	files, err := d.d.Folders.Read(id)
	if !errors.Is(err, team.ErrUnknown) {
		if err == nil && d.inLibrary(id) && !d.d.Folders.Made(id) {
			return wire.TeamTaken, files, nil
		}
		return wire.TeamAtWork, files, err
	}
	files, err = d.d.Folders.ReadArchived(id)
	if errors.Is(err, team.ErrUnknown) {
		return wire.TeamWaiting, nil, nil
	}
	return wire.TeamArchived, files, err
}

func (d *Desk) inLibrary(id string) bool {
	_, err := d.d.Folders.Library.Files(id)
	return err == nil
}

// described is what an agent's files say of it.
func (d *Desk) described(id string, files team.Files) wire.TeamTemplate {
	a, err := team.Describe(id, files)
	t := wire.TeamTemplate{
		ID: id, Name: a.Name, Role: a.Role, Emoji: a.Emoji, Description: a.Description, Category: a.Category,
		Starters: a.Starters, Seen: files.Sum(), Needs: []wire.TeamNeed{},
	}
	if err != nil {
		t.Broken = err.Error()
	}
	for _, n := range a.Needs {
		t.Needs = append(t.Needs, wire.TeamNeed{Tool: n.Tool, For: n.For, Missing: d.d.Live.Now().Lacks(n.Tool)})
	}
	return t
}

// member gives an agent of the team with its files. One whose files cannot be read has none, and says why.
func (d *Desk) member(_ context.Context, p wire.TeamMemberParams) (wire.TeamMember, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := wire.TeamMember{ID: p.Agent, Template: d.d.Folders.Made(p.Agent), Files: []wire.TeamFile{}, Updates: []wire.TeamUpdate{}}
	files, err := d.d.Folders.Read(p.Agent)
	switch {
	case errors.Is(err, team.ErrUnknown):
		return m, errNoAgent
	case err != nil:
		m.Broken = err.Error()
		return m, nil
	}
	if _, err := team.Describe(p.Agent, files); err != nil {
		m.Broken = err.Error()
	}
	if about, err := team.AboutOf(team.Files{wire.TeamDescriptor: redact.Text(files[wire.TeamDescriptor])}); err == nil {
		m.About = &about
	}
	base, err := d.d.Folders.Base(p.Agent)
	if err != nil {
		return m, fmt.Errorf("read agent: %w", err)
	}
	for _, name := range files.Names() {
		m.Files = append(m.Files, wire.TeamFile{
			Name: name, Text: redact.Text(files[name]), Edited: m.Template && files[name] != base[name],
		})
	}
	updates, err := d.d.Folders.Updates(p.Agent)
	if err != nil {
		return m, fmt.Errorf("read agent: %w", err)
	}
	m.Seen = seenOf(files, updates)
	for _, u := range updates {
		m.Updates = append(m.Updates, wire.TeamUpdate{
			Name: u.Name, Yours: redact.Text(u.Yours), Shipped: u.Shipped, Merged: redact.Text(u.Merged), Conflicts: u.Conflicts,
		})
	}
	return m, nil
}

// seenOf names what a person sees of an agent of the team: its files, and what its template says instead.
func seenOf(files team.Files, updates []team.Update) string {
	all := maps.Clone(files)
	for _, u := range updates {
		all["shipped/"+u.Name] = u.Shipped
	}
	return all.Sum()
}
