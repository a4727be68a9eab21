package admin

import (
	"context"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// AtProvider is the machine of a server as its provider saw it last, and what the reader may have done with it.
type AtProvider struct {
	Power, Rescue, RescueKey, Reinstall, Snapshots bool // what the provider can do

	MaySwitch, MayDestroy bool // what the reader may

	State     string // on, off, changes, unknown
	InRescue  bool
	Measures  []Measured
	SeenAt    time.Time // zero: never
	Problem   string    // why the last look failed
	Busy      bool      // something is being done with it
	Agreed    time.Time // since when the owner agrees to snapshots; zero: not at all
	LateSince time.Time // since when there should have been a daily snapshot; zero: all is well
	Copies    []SnapshotCopy
	Acts      []MachineAct
}

// Any says whether the provider can do anything with machines.
func (m AtProvider) Any() bool { return m.Power || m.Rescue || m.Reinstall || m.Snapshots }

// Measured is what the provider measured over the last hour.
type Measured struct {
	Name     string // cpu, disk_read, disk_write, net_in, net_out
	Avg, Max float64
}

// SnapshotCopy is a snapshot of a machine.
type SnapshotCopy struct {
	ID, Name string
	Size     int64 // bytes; 0: not known
	MadeAt   time.Time
	Daily    bool // the hub made it by itself
	Ready    bool
}

// MachineAct is something that is done with a machine, or was.
type MachineAct struct {
	ID, Verb, Name, By string
	State, Said        string
	At                 time.Time
}

// PowerPath switches the machine of a server.
func PowerPath(id string) string { return ServerPath(id) + "/power" }

// RescuePath starts the machine of a server with the rescue system, or without it.
func RescuePath(id string) string { return ServerPath(id) + "/rescue" }

// ReinstallPath puts a new system on the machine of a server.
func ReinstallPath(id string) string { return ServerPath(id) + "/reinstall" }

// SnapshotPath makes a snapshot of a server.
func SnapshotPath(id string) string { return ServerPath(id) + "/snapshot" }

// RestorePath restores a snapshot of a server.
func RestorePath(id string) string { return ServerPath(id) + "/restore" }

// DropPath deletes a snapshot of a server.
func DropPath(id string) string { return ServerPath(id) + "/drop" }

// LookPath has the provider asked how the machine of a server is.
func LookPath(id string) string { return ServerPath(id) + "/look" }

var machineVerbWords = map[string]i18n.Key{
	"power.on": "machine.verb_on", "power.off": "machine.verb_off", "power.reset": "machine.verb_reset",
	"rescue.on": "machine.verb_rescue", "rescue.off": "machine.verb_leave", "reinstall": "machine.verb_reinstall",
	"snapshot.take": "machine.verb_take", "snapshot.drop": "machine.verb_drop", "snapshot.restore": "machine.verb_restore",
}

// MachineVerbWord says what is done with a machine.
func MachineVerbWord(ctx context.Context, verb string) string {
	return word(ctx, machineVerbWords, verb)
}

var powerWords = map[string]i18n.Key{
	"on": "machine.is_on", "off": "machine.is_off", "changes": "machine.is_changing", "unknown": "machine.is_unknown",
}

func powerKind(state string) string {
	switch state {
	case "on":
		return "ok"
	case "changes":
		return "busy"
	}
	return "off"
}

var actStateWords = map[string]i18n.Key{
	"asked": "machine.act_asked", "underway": "machine.act_underway", "done": "machine.act_done", "failed": "machine.act_failed",
	"unknown": "machine.act_unknown",
}

func actStateKind(state string) string {
	switch state {
	case "done":
		return "ok"
	case "asked", "underway":
		return "busy"
	case "unknown":
		return "warn"
	}
	return "bad"
}

var measuredWords = map[string]i18n.Key{
	"cpu": "fleet.cpu", "disk_read": "machine.disk_read", "disk_write": "machine.disk_write", "net_in": "fleet.net_in",
	"net_out": "fleet.net_out",
}

// measuredPairs tells what the provider measured, the average and the highest.
func (m AtProvider) measuredPairs(ctx context.Context) []ui.Pair {
	var pairs []ui.Pair
	for _, v := range m.Measures {
		value := func(x float64) string {
			if v.Name == "cpu" {
				return i18n.Decimal(ctx, 100*x, 0) + " %"
			}
			return i18n.T(ctx, "machine.per_second", "bytes", ui.Bytes(ctx, int64(x)))
		}
		pairs = append(pairs, ui.Pair{
			Name: word(ctx, measuredWords, v.Name), Value: i18n.T(ctx, "machine.measured", "avg", value(v.Avg), "max", value(v.Max)),
		})
	}
	return pairs
}

// sizeOf tells how large a snapshot is, if that is known.
func (c SnapshotCopy) sizeOf(ctx context.Context) string {
	if c.Size == 0 {
		return i18n.T(ctx, "machine.size_unknown")
	}
	return ui.Bytes(ctx, c.Size)
}

// label names a snapshot among others in the name of a button.
func (c SnapshotCopy) label(ctx context.Context, verb string) string {
	return MachineVerbWord(ctx, verb) + ": " + c.Name
}
