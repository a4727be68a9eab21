package command

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"gatehouse/agentd/container"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Containers is the container engine of the machine; container.Engine is one.
type Containers interface {
	List(ctx context.Context) ([]container.Container, error)
	Start(ctx context.Context, which string) error
	Stop(ctx context.Context, which string) error
	Restart(ctx context.Context, which string) error
}

// Deps are the parts that commands work with.
type Deps struct {
	DB         *store.DB
	Receipts   *receipt.Log
	Containers Containers
	ServerID   func() string
	Refresh    func(ctx context.Context) (said string, err error) // reads the configuration again
	Restart    func()                                             // has this process start again, and returns at once
	Wipe       func(wire.SignedCommand) error                     // hands a command to the machine's own helper; nil: there is none
	Now        func() time.Time
	Log        *slog.Logger
}

// Commands takes and carries out commands.
type Commands struct {
	d   Deps
	one sync.Mutex // held while a command is carried out: one after the other
}

// New makes Commands.
func New(d Deps) *Commands { return &Commands{d: d} }

// Methods are what the hub may ask.
func (c *Commands) Methods() rpc.Methods {
	return rpc.Methods{
		wire.MethodCommand:    rpc.With(rpc.Params{Unreadable: "The command cannot be read."}, c.Take),
		wire.MethodCommandGet: rpc.With(rpc.Params{Unreadable: "The name of the command cannot be read."}, c.Get),
	}
}

const (
	skew     = time.Minute         // how far the clocks of hub and server may be apart
	workTime = 45 * time.Second    // for one command
	keepTime = 90 * 24 * time.Hour // how long commands are remembered; none is good for longer than minutes
)

// Pin keeps the hub's command key, the first one that comes. Another one later is not taken, which stays in the log.
func (c *Commands) Pin(ctx context.Context, key, how string) error {
	if key == "" {
		return nil
	}
	if raw, err := base64.RawURLEncoding.DecodeString(key); err != nil || len(raw) != ed25519.PublicKeySize {
		return errors.New("the hub's command key is no Ed25519 key")
	}
	pinned, err := c.pinned(ctx)
	if err != nil || pinned == key {
		return err
	}
	if pinned != "" {
		return errors.New("the hub signs commands with another key than the pinned one; its commands are refused")
	}
	return c.d.DB.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO command_key (id, key, how) VALUES (1, ?, ?) ON CONFLICT DO NOTHING", key, how)
		if err != nil {
			return err
		}
		_, err = c.d.Receipts.Append(tx, receipt.Entry{Type: "command.key_pinned", Body: map[string]any{"key": key, "how": how}})
		return err
	})
}

func (c *Commands) pinned(ctx context.Context) (key string, err error) {
	err = c.d.DB.Read().QueryRowContext(ctx, "SELECT key FROM command_key").Scan(&key)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("read command key: %w", err)
	}
	return key, nil
}

// Recover ends what an agentd before this one has left: a restart is done, for this process runs; anything else broke off.
func (c *Commands) Recover(ctx context.Context) error {
	return c.d.DB.Write(ctx, func(tx *sql.Tx) error {
		left, err := leftBy(ctx, tx)
		if err != nil {
			return err
		}
		for _, cmd := range left {
			s := wire.CommandState{ID: cmd.ID, State: wire.CommandFailed}
			s.Text = "agentd was stopped while this ran. Look at the server before you try again."
			if cmd.Verb == wire.VerbRestart {
				s.State, s.Text = wire.CommandDone, "agentd was restarted."
			}
			if err := c.end(ctx, tx, cmd, s); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM commands WHERE at < ?", c.d.Now().Add(-keepTime).UnixMicro())
		return err
	})
}

func leftBy(ctx context.Context, tx *sql.Tx) (left []wire.Command, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT text FROM commands WHERE state = 'running'")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		var cmd wire.Command
		if err := errors.Join(rows.Scan(&text), json.Unmarshal([]byte(text), &cmd)); err != nil {
			return nil, err
		}
		left = append(left, cmd)
	}
	return left, rows.Err()
}

// Take takes a command and carries it out. A repeat is answered with how it stands. A refusal is an answer, not an error.
func (c *Commands) Take(ctx context.Context, in wire.SignedCommand) (wire.CommandState, error) {
	cmd, why, err := c.check(ctx, in)
	if err != nil {
		return wire.CommandState{}, err
	}
	if why == "" { // it is signed; one that was taken before may be asked about for longer than it could be taken
		if s, text, err := stateOf(ctx, c.d.DB.Read(), cmd.ID); err == nil && text == in.Text {
			return repeated(s), nil
		} else if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return wire.CommandState{}, err
		}
		why = c.unfit(cmd)
	}
	if why != "" {
		return c.refuse(ctx, cmd, why)
	}
	known, err := c.accept(ctx, cmd, in.Text)
	if err != nil || known.State != wire.CommandRunning || known.Text != "" {
		return known, err
	}
	// From here on it happens, whoever waits for the answer.
	go c.carryOut(context.WithoutCancel(ctx), cmd, in)
	return known, nil
}

// check opens a command, and says why it is not the hub's; empty when it is.
func (c *Commands) check(ctx context.Context, in wire.SignedCommand) (cmd wire.Command, why string, err error) {
	pinned, err := c.pinned(ctx)
	if err != nil {
		return cmd, "", err
	}
	if pinned == "" {
		return cmd, "This server has not pinned a key for commands yet.", nil
	}
	key, _ := base64.RawURLEncoding.DecodeString(pinned) // Pin has read it
	if cmd, err = in.Open(key); err != nil {
		return wire.Command{}, "The command is not signed with the key that this server has pinned.", nil
	}
	return cmd, "", nil
}

// unfit says why a command that is signed cannot be taken now; empty when it can.
func (c *Commands) unfit(cmd wire.Command) string {
	now := c.d.Now()
	switch {
	case cmd.ServerID != c.d.ServerID():
		return "The command is for another server."
	case cmd.ID == "" || cmd.Until.Sub(cmd.From) > wire.MaxCommandLife:
		return "The command is good for too long."
	case now.Before(cmd.From.Add(-skew)):
		return "The command is from the future. Check the clocks of the hub and of the server."
	case now.After(cmd.Until):
		return "The command has expired. Send it again."
	}
	if cmd.Verb == wire.VerbWipe && c.d.Wipe == nil {
		return "This machine cannot wipe itself. Nothing was changed."
	}
	if cmd.Verb == wire.VerbWipe && cmd.Container == "" && cmd.LetIn != "" {
		return ""
	}
	for _, v := range wire.CommandVerbs() {
		if v == cmd.Verb && v.OfContainer() == (cmd.Container != "") {
			return ""
		}
	}
	return "This agentd does not know this command."
}

// refuse puts a refusal on record.
func (c *Commands) refuse(ctx context.Context, cmd wire.Command, why string) (wire.CommandState, error) {
	s := wire.CommandState{ID: cmd.ID, State: wire.CommandRefused, Text: why}
	return s, c.d.DB.Write(ctx, func(tx *sql.Tx) error {
		_, err := c.d.Receipts.Append(tx, receipt.Entry{Type: "command.refused", Body: bodyOf(cmd, map[string]any{"why": why})})
		return err
	})
}

// accept puts a new command on record before anything happens. Text is empty for a new one alone.
func (c *Commands) accept(ctx context.Context, cmd wire.Command, text string) (s wire.CommandState, err error) {
	again := ""
	err = c.d.DB.Write(ctx, func(tx *sql.Tx) error {
		s, again, err = stateOf(context.WithoutCancel(ctx), tx, cmd.ID) // an interrupted statement would take other writes with it
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		s = wire.CommandState{ID: cmd.ID, State: wire.CommandRunning}
		if _, err := c.d.Receipts.Append(tx, receipt.Entry{Type: "command.accepted", Body: bodyOf(cmd, nil)}); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx,
			"INSERT INTO commands (id, text, verb, state, said, result, at) VALUES (?, ?, ?, 'running', '', '', ?)",
			cmd.ID, text, string(cmd.Verb), c.d.Now().UnixMicro())
		return err
	})
	if err == nil && again != "" && again != text {
		return c.refuse(ctx, cmd, "Another command had this number.")
	}
	if err == nil && again != "" {
		s = repeated(s)
	}
	return s, err
}

// repeated is the answer to a command that was taken before.
func repeated(s wire.CommandState) wire.CommandState {
	if s.State == wire.CommandRunning {
		s.Text = "This runs already."
	}
	return s
}

// Get says how a command stands.
func (c *Commands) Get(ctx context.Context, p wire.CommandParams) (wire.CommandState, error) {
	s, _, err := stateOf(ctx, c.d.DB.Read(), p.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return s, &wire.RPCError{Code: "not_found", Text: "The server knows no such command."}
	}
	return s, err
}

// queryer is a database or a transaction.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func stateOf(ctx context.Context, q queryer, id string) (s wire.CommandState, text string, err error) {
	var result string
	s.ID = id
	err = q.QueryRowContext(ctx, "SELECT text, state, said, result FROM commands WHERE id = ?", id).Scan(&text, &s.State, &s.Text, &result)
	if err == nil && result != "" {
		err = json.Unmarshal([]byte(result), &s.Containers)
	}
	return s, text, err
}

// carryOut does what a command says and puts the end on record.
func (c *Commands) carryOut(ctx context.Context, cmd wire.Command, signed wire.SignedCommand) {
	c.one.Lock()
	defer c.one.Unlock()
	if cmd.Verb == wire.VerbRestart {
		c.d.Log.InfoContext(ctx, "agentd restarts at the hub's command", "command_id", cmd.ID, "by", cmd.By)
		c.d.Restart() // Recover ends it
		return
	}
	work, cancel := context.WithTimeout(ctx, workTime)
	defer cancel()
	s := c.act(work, cmd)
	if cmd.Verb == wire.VerbWipe {
		s = c.wipe(ctx, signed)
	}
	if s.ID = cmd.ID; s.State == wire.CommandRunning {
		return // the helper stops this process; nothing is left to say how it ended
	}
	if err := c.d.DB.Write(ctx, func(tx *sql.Tx) error { return c.end(ctx, tx, cmd, s) }); err != nil {
		c.d.Log.ErrorContext(ctx, "end of a command not kept", "command_id", cmd.ID, "error", err)
	}
}

func (c *Commands) act(ctx context.Context, cmd wire.Command) wire.CommandState {
	var err error
	said := "Done."
	var list []wire.ContainerInfo
	switch cmd.Verb {
	case wire.VerbRefresh:
		said, err = c.d.Refresh(ctx)
	case wire.VerbContainers:
		said, list, err = c.list(ctx)
	case wire.VerbContainerStart:
		err = c.d.Containers.Start(ctx, cmd.Container)
	case wire.VerbContainerStop:
		err = c.d.Containers.Stop(ctx, cmd.Container)
	case wire.VerbContainerRestart:
		err = c.d.Containers.Restart(ctx, cmd.Container)
	case wire.VerbRestart, wire.VerbWipe: // carryOut does them
	}
	if err != nil {
		c.d.Log.WarnContext(ctx, "command failed", "command_id", cmd.ID, "verb", string(cmd.Verb), "error", err)
		return wire.CommandState{State: wire.CommandFailed, Text: saidOf(err)}
	}
	return wire.CommandState{State: wire.CommandDone, Text: said, Containers: list}
}

// wipe has the machine's own helper do what agentd has no right to.
func (c *Commands) wipe(ctx context.Context, signed wire.SignedCommand) wire.CommandState {
	if err := c.d.Wipe(signed); err != nil {
		c.d.Log.ErrorContext(ctx, "wipe not handed over", "error", err)
		return wire.CommandState{State: wire.CommandFailed, Text: saidOf(err)}
	}
	return wire.CommandState{State: wire.CommandRunning}
}

func (c *Commands) list(ctx context.Context) (string, []wire.ContainerInfo, error) {
	all, err := c.d.Containers.List(ctx)
	if err != nil {
		return "", nil, err
	}
	list := make([]wire.ContainerInfo, len(all))
	for i, v := range all {
		list[i] = wire.ContainerInfo{ID: v.ID, Name: v.Name, Image: v.Image, State: v.State}
	}
	return fmt.Sprintf("%d containers.", len(list)), list, nil
}

// saidOf is what people read of an error.
func saidOf(err error) string {
	switch {
	case errors.Is(err, container.ErrAway):
		return "agentd cannot ask a container engine on this server. Nothing was changed."
	case errors.Is(err, container.ErrNone):
		return "There is no such container. List the containers again."
	case errors.Is(err, container.ErrName):
		return "That is not the name of a container. Nothing was changed."
	case errors.Is(err, context.DeadlineExceeded):
		return "The server did not finish this in time. Look at its state before you try again."
	}
	return "This did not work. The reason is in the server's own log."
}

// end puts the end of a command on record.
func (c *Commands) end(ctx context.Context, tx *sql.Tx, cmd wire.Command, s wire.CommandState) error {
	result := ""
	if s.Containers != nil {
		raw, err := json.Marshal(s.Containers)
		if err != nil {
			return err
		}
		result = string(raw)
	}
	_, err := tx.ExecContext(ctx, "UPDATE commands SET state = ?, said = ?, result = ? WHERE id = ?", s.State, s.Text, result, cmd.ID)
	if err != nil {
		return err
	}
	_, err = c.d.Receipts.Append(tx, receipt.Entry{Type: "command." + s.State, Body: bodyOf(cmd, map[string]any{"said": s.Text})})
	return err
}

func bodyOf(cmd wire.Command, more map[string]any) map[string]any {
	body := map[string]any{"command_id": cmd.ID, "verb": string(cmd.Verb), "by": cmd.By}
	if cmd.Container != "" {
		body["container"] = cmd.Container
	}
	for k, v := range more {
		body[k] = v
	}
	return body
}
