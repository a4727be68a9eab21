package agentd

import (
	"context"
	"path/filepath"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dispatch"
	"gatehouse/agentd/tools/filedelete"
	"gatehouse/agentd/tools/filelist"
	"gatehouse/agentd/tools/fileread"
	"gatehouse/agentd/tools/filewrite"
	"gatehouse/agentd/tools/message"
	"gatehouse/agentd/tools/shell"
	"gatehouse/agentd/wire"
)

// openGate makes the gate and gives it every tool that this server has.
func (d *Daemon) openGate(ctx context.Context) (err error) {
	d.gate, err = gate.New(ctx, gate.Deps{
		DB: d.db, Receipts: d.receipts, Rules: d.live, Sets: visibility{d}, Outbox: d.outbox, Signed: d.keys, ServerID: d.serverID, Identity: d.identityKey, Now: d.now, Log: d.log,
		Leases: d.vault, Results: filepath.Join(d.cfg.State, "results"), Root: d.cfg.Data, Ingress: wrapped{},
		Machine: &machine{state: d.cfg.State, data: d.cfg.Data, now: d.now}, Guardian: d.secondLook(), Outgoing: newLeaving(d.inside, d.now),
	})
	if err != nil {
		return err
	}
	d.live.RequireSignatures(changes{d.keys})
	all, err := d.tools()
	if err != nil {
		return err
	}
	for _, t := range all {
		if err := d.gate.Add(t); err != nil {
			return err
		}
	}
	return nil
}

func (d *Daemon) tools() ([]gate.Tool, error) {
	write, err := filewrite.New(d.root, d.now)
	if err != nil {
		return nil, err
	}
	d.files = write
	mail := message.Config{Addr: d.cfg.SMTPAddr, From: d.cfg.MailFrom, Inside: d.inside, Now: d.now}
	secrets, err := d.secretTools()
	if err != nil {
		return nil, err
	}
	return append(secrets,
		shell.New(d.root, d.sandbox), fileread.New(d.root), filelist.New(d.root), write, filewrite.NewRestore(write), filedelete.New(d.root), message.New(mail), dispatch.New(delegation{d}),
	), nil
}

// Definitions are the tools that every server has, as models see them.
func Definitions() []tool.Definition {
	return append(secretDefinitions(),
		(&shell.Tool{}).Definition(), (&fileread.Tool{}).Definition(), (&filelist.Tool{}).Definition(), (&filewrite.Tool{}).Definition(),
		(&filewrite.Restore{}).Definition(), (&filedelete.Tool{}).Definition(), (&message.Tool{}).Definition(), (&dispatch.Tool{}).Definition(),
	)
}

// visibility asks the team, which is loaded after the gate: the team wants to know the gate's tools.
type visibility struct{ d *Daemon }

func (v visibility) Visible(agent, name string) (bool, string) { return v.d.team.Visible(agent, name) }

// delegation asks the runtime, which is made after the tool that delegates.
type delegation struct{ d *Daemon }

func (g delegation) Dispatch(ctx context.Context, callID, runID, from, target, task, background string) (string, string, error) {
	return g.d.runtime.Dispatch(ctx, callID, runID, from, target, task, background)
}

func (d *Daemon) config() wire.Config { return d.live.State().Config() }

// inside are the addresses of the customer's own people.
func (d *Daemon) inside() []string { return d.config().Inside }

func (d *Daemon) serverID() string {
	if id := d.identity.Load(); id != nil {
		return id.ServerID
	}
	return ""
}

// origin is the hub's public origin, which passkeys are bound to.
func (d *Daemon) origin() string {
	if id := d.identity.Load(); id != nil {
		return id.Hub
	}
	return ""
}

// Emit sends an event of a run to whoever watches at the hub. Nobody waits for it: readers notice a gap and ask.
func (d *Daemon) Emit(e wire.RunEvent) {
	c := d.client.Load()
	if c == nil {
		return
	}
	if e.Event == wire.EventDelta {
		c.Send(wire.TypeChatDelta, e)
		return
	}
	c.Send(wire.TypeChatEvent, e)
}
