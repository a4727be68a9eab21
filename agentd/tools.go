package agentd

import (
	"context"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/config"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/schedule/webhook"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/team"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/attach"
	"gatehouse/agentd/tools/credential"
	"gatehouse/agentd/tools/dispatch"
	"gatehouse/agentd/tools/envread"
	"gatehouse/agentd/tools/envupdate"
	"gatehouse/agentd/tools/filedelete"
	"gatehouse/agentd/tools/filelist"
	"gatehouse/agentd/tools/fileread"
	"gatehouse/agentd/tools/filewrite"
	"gatehouse/agentd/tools/httprequest"
	"gatehouse/agentd/tools/message"
	"gatehouse/agentd/tools/notes"
	"gatehouse/agentd/tools/plan"
	"gatehouse/agentd/tools/shell"
	"gatehouse/agentd/tools/subagent"
	"gatehouse/agentd/tools/teamreport"
	"gatehouse/agentd/tools/version"
)

// openTools opens those tools that have to recover from a crash.
func (d *Daemon) openTools(context.Context) (err error) {
	if d.files, err = filewrite.New(d.root, d.now); err != nil {
		return err
	}
	d.versions = version.New(d.root, d.now, func() int64 { return diskOf(d.cfg.State).Free }, d.keepMarks)
	if err := d.versions.Recover(); err != nil { // a leftover harms less than a server that does not start
		d.log.Warn("what a crash left half put back was not cleared", "error", err)
	}
	if err := d.versions.Tidy(); err != nil {
		return err
	}
	d.settings, err = envupdate.New(d.root)
	return err
}

// keepMarks saves what is on record about the origin of files that are about to be deleted or replaced.
func (d *Daemon) keepMarks(ctx context.Context, id string, rels []string) error {
	return taint.Keep(ctx, d.db, id, rels, d.now())
}

// tools lists the tools that every server has. Making one touches nothing, so that Definitions can ask a daemon that is not
// open.
func (d *Daemon) tools() []gate.Tool {
	rotator, requests := httprequest.NewRotator(d.business), httprequest.New(d.business)
	requests.Watch(d.toolSeen)
	return []gate.Tool{
		requests,
		envread.New(d.root, d.vault),
		d.settings,
		credential.NewGet(d.vault),
		credential.NewGenerate(d.vault),
		credential.NewRotate(d.vault, rotator, d.counter.Ended),
		shell.New(d.root, d.sandbox),
		fileread.New(d.root),
		filelist.New(d.root),
		attach.New(d.root, delegation{d}),
		d.files,
		filewrite.NewRestore(d.files),
		filedelete.New(d.root, d.versions),
		message.New(message.Config{Addr: d.cfg.SMTPAddr, From: d.cfg.MailFrom, Inside: d.inside, Now: d.now}),
		dispatch.New(delegation{d}),
		subagent.NewSpawn(delegation{d}),
		subagent.NewCheck(delegation{d}),
		subagent.NewStop(delegation{d}),
		teamreport.New(records{d}, d.now),
		plan.NewCreate(planner{d}),
		plan.NewList(planner{d}),
		plan.NewUpdate(planner{d}),
		plan.NewDelete(planner{d}),
		notes.NewSearch(d.memory),
		notes.NewGet(d.memory),
		notes.NewWrite(d.memory, d.zone),
	}
}

// Definitions gives the tools that every server has, as models see them.
func Definitions() []tool.Definition {
	var all []tool.Definition
	for _, t := range (&Daemon{}).tools() {
		all = append(all, t.Definition())
	}
	return all
}

// visibility asks the team, which is loaded after the gate: the team wants to know the gate's tools.
type visibility struct{ d *Daemon }

// Visible implements gate.Visibility with the function that the prompt is made with.
func (v visibility) Visible(s config.State, c gate.Call) (bool, string) {
	if c.Tool == channel.ToolName || c.Tool == webhook.ToolName {
		return true, "" // they are in no set that a model gets, and send nothing but what waits in their tables
	}
	cfg := s.Config()
	return v.d.team.Now().Visible(team.ViewOf(cfg, c.Agent, v.d.modelNamed(cfg, c.Agent), team.OriginOf(c.Origin)), c.Tool)
}

// delegation asks the runtime, which is made after the tools that ask it.
type delegation struct{ d *Daemon }

func (g delegation) Dispatch(ctx context.Context, callID, runID, from, target, task, background string) (string, string, error) {
	return g.d.runtime.Dispatch(ctx, callID, runID, from, target, task, background)
}

// sendsFiles says whether files go with the answer to a message that came by a channel.
func (d *Daemon) sendsFiles(ctx context.Context, name string) (bool, error) {
	return d.channels.SendsFiles(ctx, name)
}

func (g delegation) Attach(ctx context.Context, callID, runID string, a tool.Attachment) error {
	return g.d.runtime.Attach(ctx, callID, runID, a)
}

func (g delegation) Spawn(ctx context.Context, callID, runID, agent, task string) (string, error) {
	return g.d.runtime.Spawn(ctx, callID, runID, agent, task)
}

func (g delegation) CheckSubs(ctx context.Context, callID, runID string, ids []string, wait bool) (string, int, error) {
	return g.d.runtime.CheckSubs(ctx, callID, runID, ids, wait)
}

func (g delegation) StopSub(ctx context.Context, callID, runID, id string) (string, error) {
	return g.d.runtime.StopSub(ctx, callID, runID, id)
}
