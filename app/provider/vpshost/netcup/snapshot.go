package netcup

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"gatehouse/app/machine"
	"gatehouse/app/provider/vpshost"
)

// ours begins the names of snapshots that the hub asked for.
const ours = "gatehouse-"

// copied is a snapshot as netcup lists it. They are named by the hub, and no name is given twice on a machine.
type copied struct {
	Name string    `json:"name"`
	Made time.Time `json:"creationTime"`
}

func (h *Host) copies(ctx context.Context, id int64) ([]copied, error) {
	var all []copied
	err := h.Account.call(ctx, http.MethodGet, serverPath(id)+"/snapshots", nil, &all)
	all = slices.DeleteFunc(all, func(c copied) bool { return !strings.HasPrefix(c.Name, ours) })
	slices.SortFunc(all, func(a, b copied) int { return cmp.Or(a.Made.Compare(b.Made), cmp.Compare(a.Name, b.Name)) })
	return all, err
}

// Snapshots lists what the hub asked for, oldest first. netcup lists a snapshot when it is there, and not how large it is.
func (h *Host) Snapshots(ctx context.Context, serverID string) ([]machine.Snapshot, error) {
	m, err := h.adopted(ctx, serverID)
	if err != nil {
		return nil, err
	}
	all, err := h.copies(ctx, m.ID)
	if err != nil {
		return nil, err
	}
	list := make([]machine.Snapshot, 0, len(all))
	for _, c := range all {
		list = append(list, machine.Snapshot{Place: c.Name, Name: c.Name, MadeAt: c.Made.UTC(), Ready: true})
	}
	return list, nil
}

// Take copies the disk, unless there is a snapshot of this name. A machine that runs goes on running.
func (h *Host) Take(ctx context.Context, a machine.Ask) (string, error) {
	m, now, err := h.seen(ctx, a.ServerID)
	if err != nil {
		return "", err
	}
	return h.begin(ctx, m.ID, a.Mark, anyTask, http.MethodPost, "/snapshots", map[string]any{
		"name": a.Name, "description": a.Name, "onlineSnapshot": now.power() == machine.PowerOn,
	})
}

// has says whether a machine has a snapshot.
func (h *Host) has(ctx context.Context, id int64, name string) (bool, error) {
	all, err := h.copies(ctx, id)
	return slices.ContainsFunc(all, func(c copied) bool { return c.Name == name }), err
}

func copyPath(name string) string { return "/snapshots/" + url.PathEscape(name) }

// Drop deletes a snapshot; one that is gone is fine.
func (h *Host) Drop(ctx context.Context, a machine.Ask) (string, error) {
	m, err := h.adopted(ctx, a.ServerID)
	if err != nil {
		return "", err
	}
	there, err := h.has(ctx, m.ID, a.Snapshot)
	if err != nil || !there {
		return "", err
	}
	mark := a.Mark
	if mark == "" { // whatever was begun so far is something else
		if mark, err = h.Account.mark(ctx, m.ID); err != nil {
			return "", err
		}
	}
	return h.begin(ctx, m.ID, mark, anyTask, http.MethodDelete, copyPath(a.Snapshot), nil)
}

// Restore makes the disk as it was when a snapshot was made.
func (h *Host) Restore(ctx context.Context, a machine.Ask) (string, error) {
	m, err := h.adopted(ctx, a.ServerID)
	if err != nil {
		return "", err
	}
	there, err := h.has(ctx, m.ID, a.Snapshot)
	if err != nil {
		return "", err
	}
	if !there {
		return "", &vpshost.RefusedError{Reason: "netcup has no such snapshot any more. The machine was left as it is."}
	}
	return h.begin(ctx, m.ID, a.Mark, anyTask, http.MethodPost, copyPath(a.Snapshot)+"/revert", nil)
}
