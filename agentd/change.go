package agentd

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// errNoChange says that a call wrote no file.
var errNoChange = &wire.RPCError{Code: "not_found", Text: "Your server has no such file change."}

// changeMethods answers questions about writes of files.
func (d *Daemon) changeMethods() rpc.Methods {
	return rpc.Methods{wire.MethodChangeGet: rpc.With(rpc.Params{Unreadable: "The request could not be read."}, d.change)}
}

// change is a write of a file, and what taking it back would do now. Of one that is not kept any more the gate knows.
func (d *Daemon) change(ctx context.Context, p wire.ChangeParams) (wire.Change, error) {
	made, err := d.gate.Made(ctx, p.CallID)
	if err != nil {
		return wire.Change{}, err
	}
	if made == nil || !slices.Contains([]string{"file_write", "file_restore"}, made.Tool) {
		return wire.Change{}, errNoChange
	}
	c, err := d.files.Look(p.CallID)
	if no := new(tool.Refused); errors.As(err, &no) {
		return wire.Change{}, &wire.RPCError{Code: "conflict", Text: no.Text}
	}
	if err != nil {
		return wire.Change{}, err
	}
	if c.Path == "" {
		var in policy.FileRestoreArgs // those of file_write name the path alike
		if json.Unmarshal(made.Args, &in) == nil {
			c.Path = in.Path
		}
	}
	c.RunID, c.Agent = made.RootRunID, made.Agent
	return c, nil
}
