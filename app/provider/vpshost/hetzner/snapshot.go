package hetzner

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"gatehouse/app/machine"
	"gatehouse/app/provider/vpshost"
)

// snapshotLabel names a snapshot: a request whose answer was lost finds it.
const snapshotLabel = "gatehouse-snapshot"

// imageTask begins the name of a task that has ended when a snapshot can be used.
const imageTask = "image "

// images lists the snapshots of a server. An empty name means all.
func (h *Host) images(ctx context.Context, serverID, name string) ([]*hcloud.Image, error) {
	which := label + "=" + serverID + "," + snapshotLabel
	if name != "" {
		which += "=" + name
	}
	all, err := h.client().Image.AllWithOpts(ctx, hcloud.ImageListOpts{
		ListOpts: hcloud.ListOpts{LabelSelector: which}, Type: []hcloud.ImageType{hcloud.ImageTypeSnapshot},
	})
	return all, inWords(err)
}

// Snapshots lists what the hub asked for, oldest first.
func (h *Host) Snapshots(ctx context.Context, serverID string) ([]machine.Snapshot, error) {
	all, err := h.images(ctx, serverID, "")
	if err != nil {
		return nil, err
	}
	list := make([]machine.Snapshot, 0, len(all))
	for _, i := range all {
		list = append(list, machine.Snapshot{
			Place: strconv.FormatInt(i.ID, 10), Name: i.Labels[snapshotLabel], Size: int64(math.Round(float64(i.ImageSize) * 1e9)),
			MadeAt: i.Created.UTC(), Ready: i.Status == hcloud.ImageStatusAvailable,
		})
	}
	slices.SortFunc(list, func(a, b machine.Snapshot) int {
		return cmp.Or(a.MadeAt.Compare(b.MadeAt), cmp.Compare(a.Place, b.Place))
	})
	return list, nil
}

// Take copies the disk, unless there is a snapshot of this name.
func (h *Host) Take(ctx context.Context, a machine.Ask) (string, error) {
	m, err := h.rented(ctx, a.ServerID)
	if err != nil {
		return "", err
	}
	made, err := h.images(ctx, a.ServerID, a.Name)
	if err != nil {
		return "", err
	}
	if len(made) > 0 {
		return imageTask + strconv.FormatInt(made[0].ID, 10), nil
	}
	r, _, err := h.careful().Server.CreateImage(ctx, m, &hcloud.ServerCreateImageOpts{
		Type: hcloud.ImageTypeSnapshot, Description: &a.Name, Labels: map[string]string{label: a.ServerID, snapshotLabel: a.Name},
	})
	if err != nil {
		return "", inActWords(err)
	}
	return imageTask + strconv.FormatInt(r.Image.ID, 10), nil
}

func (h *Host) imageEnded(ctx context.Context, number string) (bool, error) {
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return false, fmt.Errorf("image %q: %w", number, err)
	}
	i, _, err := h.client().Image.GetByID(ctx, id)
	if err != nil {
		return false, inWords(err)
	}
	if i == nil {
		return false, &vpshost.RefusedError{Reason: "Hetzner could not finish the snapshot and removed it. Try again later."}
	}
	return i.Status == hcloud.ImageStatusAvailable, nil
}

// imageOf finds a snapshot of a server by its number; nil when it is gone, or is another server's.
func (h *Host) imageOf(ctx context.Context, serverID, number string) (*hcloud.Image, error) {
	all, err := h.images(ctx, serverID, "")
	if err != nil {
		return nil, err
	}
	for _, i := range all {
		if strconv.FormatInt(i.ID, 10) == number {
			return i, nil
		}
	}
	return nil, nil
}

// Drop deletes a snapshot.
func (h *Host) Drop(ctx context.Context, a machine.Ask) (string, error) {
	i, err := h.imageOf(ctx, a.ServerID, a.Snapshot)
	if err != nil || i == nil {
		return "", err
	}
	return "", h.deleteImage(ctx, i)
}

func (h *Host) deleteImage(ctx context.Context, i *hcloud.Image) error {
	_, err := h.client().Image.Delete(ctx, i)
	if hcloud.IsError(err, hcloud.ErrorCodeNotFound) {
		return nil
	}
	return inWords(err)
}

// Restore makes the disk as it was when a snapshot was made.
func (h *Host) Restore(ctx context.Context, a machine.Ask) (string, error) {
	m, err := h.rented(ctx, a.ServerID)
	if err != nil {
		return "", err
	}
	i, err := h.imageOf(ctx, a.ServerID, a.Snapshot)
	if err != nil {
		return "", err
	}
	if i == nil {
		return "", &vpshost.RefusedError{Reason: "Hetzner has no such snapshot any more. The machine was left as it is."}
	}
	return taskOf(h.once(ctx, m, a.Mark, didRebuild, func() (*hcloud.Action, error) {
		r, _, err := h.careful().Server.RebuildWithResult(ctx, m, hcloud.ServerRebuildOpts{Image: i})
		return r.Action, err
	}))
}

// measures are the provider's series that are shown, and by how much their values are multiplied.
var measures = []struct {
	series, name string
	by           float64
}{
	{"cpu", "cpu", 0.01}, // percent
	{"disk.0.bandwidth.read", "disk_read", 1},
	{"disk.0.bandwidth.write", "disk_write", 1},
	{"network.0.bandwidth.in", "net_in", 1},
	{"network.0.bandwidth.out", "net_out", 1},
}

// Measures is what the provider measured from outside.
func (h *Host) Measures(ctx context.Context, serverID string, from, to time.Time) ([]machine.Measure, error) {
	m, err := h.rented(ctx, serverID)
	if err != nil {
		return nil, err
	}
	got, _, err := h.client().Server.GetMetrics(ctx, m, hcloud.ServerGetMetricsOpts{
		Types: []hcloud.ServerMetricType{hcloud.ServerMetricCPU, hcloud.ServerMetricDisk, hcloud.ServerMetricNetwork},
		Start: from.UTC(), End: to.UTC(), Step: 60,
	})
	if err != nil {
		return nil, inWords(err)
	}
	var list []machine.Measure
	for _, w := range measures {
		v := machine.Measure{Name: w.name}
		n := 0.0
		for _, p := range got.TimeSeries[w.series] {
			x, err := strconv.ParseFloat(p.Value, 64)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				continue // a gap
			}
			x *= w.by
			n, v.Avg, v.Max = n+1, v.Avg+x, max(v.Max, x)
		}
		if n > 0 {
			v.Avg /= n
			list = append(list, v)
		}
	}
	return list, nil
}
