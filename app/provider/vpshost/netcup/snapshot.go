package netcup

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/machine"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/providers"
)

// ours begins the names of snapshots that the hub asked for.
const ours = "gatehouse-"

// copied is a snapshot as netcup lists it. They are named by the hub, and no name is given twice on a machine.
type copied struct {
	Name string    `json:"name"`
	Made time.Time `json:"creationTime"`
}

// of begins the names of snapshots of a server: a machine had other ones before.
func of(serverID string) string { return ours + serverID + "-" }

// placed is what netcup calls a snapshot of a server.
func placed(serverID, name string) string { return of(serverID) + strings.TrimPrefix(name, ours) }

// belongs says whether a snapshot is of the machine's server. Hubs of before named them without the server's id; one that was made
// since the machine is this server's can be no other's.
func belongs(m providers.Machine, c copied) bool {
	if strings.HasPrefix(c.Name, of(m.ServerID)) {
		return true
	}
	name, ours := strings.CutPrefix(c.Name, ours)
	return ours && uuid.Validate(name[:min(len(name), idLength)]) != nil && !c.Made.Before(m.Since)
}

const idLength = 36

// copies lists the snapshots that the hub made on a machine and that are meant, oldest first.
func (h *Host) copies(ctx context.Context, id int64, meant func(copied) bool) ([]copied, error) {
	var all []copied
	err := h.Account.call(ctx, http.MethodGet, serverPath(id)+"/snapshots", nil, &all)
	all = slices.DeleteFunc(all, func(c copied) bool { return !strings.HasPrefix(c.Name, ours) || !meant(c) })
	slices.SortFunc(all, func(a, b copied) int { return cmp.Or(a.Made.Compare(b.Made), cmp.Compare(a.Name, b.Name)) })
	return all, err
}

// Snapshots lists what the hub asked for, oldest first. netcup lists a snapshot when it is there, and not how large it is. A server whose
// machine was given back has none any more.
func (h *Host) Snapshots(ctx context.Context, serverID string) ([]machine.Snapshot, error) {
	m, err := h.Machines.OfServer(ctx, serverID)
	if errors.Is(err, providers.ErrNoMachine) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := h.copies(ctx, m.ID, func(c copied) bool { return belongs(m, c) })
	if err != nil {
		return nil, err
	}
	list := make([]machine.Snapshot, 0, len(all))
	for _, c := range all {
		list = append(list, machine.Snapshot{
			Place: c.Name, Name: ours + strings.TrimPrefix(strings.TrimPrefix(c.Name, of(serverID)), ours), MadeAt: c.Made.UTC(),
			Ready: true,
		})
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
		"name": placed(a.ServerID, a.Name), "description": a.Name, "onlineSnapshot": now.power() == machine.PowerOn,
	})
}

// has says whether a server has a snapshot.
func (h *Host) has(ctx context.Context, m providers.Machine, name string) (bool, error) {
	all, err := h.copies(ctx, m.ID, func(c copied) bool { return belongs(m, c) })
	return slices.ContainsFunc(all, func(c copied) bool { return c.Name == name }), err
}

func copyPath(name string) string { return "/snapshots/" + url.PathEscape(name) }

// bare deletes one of all snapshots that servers left on a machine, and says whether there are none any more.
func (h *Host) bare(ctx context.Context, id int64) (bool, error) {
	all, err := h.copies(ctx, id, func(copied) bool { return true })
	if err != nil || len(all) == 0 {
		return err == nil, err
	}
	_, err = h.drop(ctx, id, "", all[0].Name)
	return false, err
}

// drop has a snapshot deleted that was listed; one that went meanwhile is fine. Without a mark, whatever was begun so far is something
// else.
func (h *Host) drop(ctx context.Context, id int64, mark, name string) (task string, err error) {
	if mark == "" {
		if mark, err = h.Account.mark(ctx, id); err != nil {
			return "", err
		}
	}
	task, err = h.begin(ctx, id, mark, anyTask, http.MethodDelete, copyPath(name), nil)
	var answer *answerError
	if errors.As(err, &answer) && answer.status == http.StatusNotFound {
		return "", nil
	}
	return task, err
}

// Drop deletes a snapshot; one that is gone is fine.
func (h *Host) Drop(ctx context.Context, a machine.Ask) (string, error) {
	m, err := h.adopted(ctx, a.ServerID)
	if err != nil {
		return "", err
	}
	there, err := h.has(ctx, m, a.Snapshot)
	if err != nil || !there {
		return "", err
	}
	return h.drop(ctx, m.ID, a.Mark, a.Snapshot)
}

// Restore makes the disk as it was when a snapshot was made.
func (h *Host) Restore(ctx context.Context, a machine.Ask) (string, error) {
	m, err := h.adopted(ctx, a.ServerID)
	if err != nil {
		return "", err
	}
	there, err := h.has(ctx, m, a.Snapshot)
	if err != nil {
		return "", err
	}
	if !there {
		return "", &vpshost.RefusedError{Reason: "netcup has no such snapshot any more. The machine was left as it is."}
	}
	return h.begin(ctx, m.ID, a.Mark, anyTask, http.MethodPost, copyPath(a.Snapshot)+"/revert", nil)
}
