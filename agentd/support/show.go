package support

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gatehouse/agentd/container"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

const (
	usualLines = 200
	turnsShown = 10      // of a conversation at once
	mostShown  = 4 << 20 // bytes of an answer
)

// errLong is what a look gets whose answer does not fit through the link.
var errLong = &wire.RPCError{Code: "unavailable", Text: "This is too long to be shown at once. Ask for less."}

// show reads what was asked for, as it may leave the server. It asks nobody: admit has checked the look.
func (w *Windows) show(ctx context.Context, a wire.SupportAsk) ([]byte, error) {
	out, err := w.read(ctx, a)
	if err != nil {
		return nil, saying(err)
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("show %s: %w", a.See, err)
	}
	if raw = redact.Frame(raw); len(raw) > mostShown {
		return nil, errLong
	}
	return raw, nil
}

func (w *Windows) read(ctx context.Context, a wire.SupportAsk) (any, error) {
	switch a.See {
	case wire.SeeContainers:
		return w.containers(ctx)
	case wire.SeeLogs:
		return w.logs(ctx, a)
	case wire.SeeInspect:
		return w.inspect(ctx, a.Name)
	case wire.SeeFiles:
		return w.ask(ctx, wire.MethodFilesList, wire.FilesParams{Path: a.Name, After: a.After})
	case wire.SeeFile:
		return w.ask(ctx, wire.MethodFilesGet, wire.FileParams{Path: a.Name})
	case wire.SeeConversations:
		return w.ask(ctx, wire.MethodSessionsList, wire.ListParams{After: a.After})
	case wire.SeeConversation:
		return w.ask(ctx, wire.MethodSessionGet, wire.SessionParams{SessionID: a.Name, Before: a.After, Limit: turnsShown})
	}
	return nil, fmt.Errorf("look at %q: there is no such look", a.See) // look has refused it
}

// ask puts a question as a page does.
func (w *Windows) ask(ctx context.Context, m wire.Method, params any) (any, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m, err)
	}
	return w.d.Ask(ctx, m, raw)
}

func (w *Windows) containers(ctx context.Context) (wire.SupportContainers, error) {
	all, err := w.d.Containers.List(ctx)
	out := wire.SupportContainers{Items: []wire.ContainerInfo{}}
	for _, c := range all {
		out.Items = append(out.Items, wire.ContainerInfo{ID: c.ID, Name: c.Name, Image: c.Image, State: c.State})
	}
	return out, err
}

func (w *Windows) logs(ctx context.Context, a wire.SupportAsk) (wire.SupportLog, error) {
	lines := a.Lines
	if lines <= 0 {
		lines = usualLines
	}
	text, cut, err := w.d.Containers.Logs(ctx, a.Name, min(lines, wire.MaxSupportLines))
	if err != nil {
		return wire.SupportLog{}, err
	}
	clean := redact.Text(string(bytes.ToValidUTF8(text, []byte("\ufffd")))) // as a whole: a secret may stand over two lines
	out := wire.SupportLog{Name: a.Name, Lines: []string{}, Cut: cut}
	if clean = strings.TrimRight(clean, "\n"); clean != "" {
		out.Lines = strings.Split(clean, "\n")
	}
	return out, nil
}

// inspect tells how a container is set up. Of its environment the names alone: values are where services keep their passwords.
func (w *Windows) inspect(ctx context.Context, name string) (wire.SupportInspected, error) {
	d, err := w.d.Containers.Inspect(ctx, name)
	if err != nil {
		return wire.SupportInspected{}, err
	}
	out := wire.SupportInspected{Name: d.Name}
	for _, f := range []wire.SupportFact{
		{Name: "image", Lines: []string{d.Image}},
		{Name: "state", Lines: d.State},
		{Name: "command", Lines: []string{redact.Text(strings.Join(d.Command, " "))}},
		{Name: "environment", Lines: d.Environment},
		{Name: "ports", Lines: d.Ports},
		{Name: "mounts", Lines: d.Mounts},
		{Name: "networks", Lines: d.Networks},
		{Name: "restart", Lines: []string{d.Restart}},
	} {
		if len(f.Lines) > 0 && f.Lines[0] != "" {
			out.Facts = append(out.Facts, f)
		}
	}
	return out, nil
}

// saying turns the errors of the container engine into ones that a person may read.
func saying(err error) error {
	switch {
	case errors.Is(err, container.ErrAway):
		return &wire.RPCError{Code: "unavailable", Text: "agentd cannot ask a container engine on this server."}
	case errors.Is(err, container.ErrNone), errors.Is(err, container.ErrName):
		return &wire.RPCError{Code: "not_found", Text: "There is no such container on this server."}
	}
	return err
}
