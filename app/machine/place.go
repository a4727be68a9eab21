package machine

import (
	"context"
	"errors"
	"time"
)

// Ask is one thing that a place is asked to do with the machine of a server.
type Ask struct {
	ServerID string
	Mark     string // where the place's own record stood before the first try; what was begun since is this very thing
	Key      string // Rescue: the SSH key that is let in, as in authorized_keys
	Name     string // Take: what the snapshot is called; once on a server
	Snapshot string // Drop, Restore: the place's own name of the snapshot
}

// State is how a machine is, as its place says.
type State struct {
	Power  Power
	Rescue bool // it starts, or has started, a rescue system
}

// Power says whether a machine runs.
type Power string

// The powers of a machine.
const (
	PowerOn      Power = "on"
	PowerOff     Power = "off"
	PowerChanges Power = "changes" // it starts, stops, or is being made
	PowerUnknown Power = "unknown"
)

// Snapshot is a copy of a machine's disk that was made by the hub.
type Snapshot struct {
	Place  string // the place's own name of it
	Name   string // as it was asked for
	Size   int64  // bytes; 0: the place does not say
	MadeAt time.Time
	Ready  bool // it can be restored
}

// Measure is what a place measured of a machine from outside, over the last hour.
type Measure struct {
	Name string  `json:"name"` // cpu, disk_read, disk_write, net_in, net_out
	Avg  float64 `json:"avg"`  // share of one processor for cpu, else bytes a second
	Max  float64 `json:"max"`
}

// Place is where machines are: a server provider. What it can do with a machine beyond setting one up, it shows by implementing the
// interfaces below. Every method of theirs may be repeated: with the same Ask, what was begun is found, not begun again. Those that
// begin something answer with the place's own name of the task, or with "" when it is done already.
type Place interface{ Name() string }

// Powered switches machines.
type Powered interface {
	Place
	State(ctx context.Context, serverID string) (State, error)
	// Switch does On, Off, which lets the system end by itself, or Reset, which does not.
	Switch(ctx context.Context, a Ask, to Verb) (task string, err error)
}

// Rescued starts machines with another system than their own, from which their disks can be read and written.
type Rescued interface {
	// Rescue starts the machine anew, with the rescue system or without it.
	Rescue(ctx context.Context, a Ask, on bool) (task string, err error)
	// RescueByKey says whether the rescue system lets an SSH key in; otherwise the place's own console shows how to get in.
	RescueByKey() bool
}

// Reinstalled puts a new system on a machine. All that was on its disk is gone.
type Reinstalled interface {
	Reinstall(ctx context.Context, a Ask) (task string, err error)
}

// Copied keeps snapshots of machines.
type Copied interface {
	// Snapshots lists those that the hub asked for, oldest first.
	Snapshots(ctx context.Context, serverID string) ([]Snapshot, error)
	Take(ctx context.Context, a Ask) (task string, err error)
	Drop(ctx context.Context, a Ask) (task string, err error)
	Restore(ctx context.Context, a Ask) (task string, err error)
}

// Measured measures machines from outside.
type Measured interface {
	Measures(ctx context.Context, serverID string, from, to time.Time) ([]Measure, error)
}

// Recorded keeps a record of what was begun. A place without one does everything at once.
type Recorded interface {
	// Mark says where the record of a machine stands.
	Mark(ctx context.Context, serverID string) (string, error)
	// Ended says whether a task is done. One that failed is an error that is a Refusal.
	Ended(ctx context.Context, serverID, task string) (bool, error)
}

// Refusal is an error that says, in words for people, why a place will not do something however often it is asked.
type Refusal interface {
	error
	Refusal() string
}

// Later is an error that says when a place is to be asked again.
type Later interface {
	error
	After() time.Duration
}

// refused is what a place said when it will not do something.
func refused(err error) (string, bool) {
	var r Refusal
	if errors.As(err, &r) {
		return r.Refusal(), true
	}
	return "", false
}

// Abilities says what a place can do with machines.
type Abilities struct {
	Power, Rescue, RescueKey, Reinstall, Snapshots, Measures bool
}

// AbilitiesOf asks a place; a nil pointer of its type will do.
func AbilitiesOf(p Place) (a Abilities) {
	_, a.Power = p.(Powered)
	rescued, can := p.(Rescued)
	if a.Rescue = can; can {
		a.RescueKey = rescued.RescueByKey()
	}
	_, a.Reinstall = p.(Reinstalled)
	_, a.Snapshots = p.(Copied)
	_, a.Measures = p.(Measured)
	return a
}

// Any says whether there is anything at all.
func (a Abilities) Any() bool { return a.Power || a.Rescue || a.Reinstall || a.Snapshots || a.Measures }

// Can says whether the place does what a verb says.
func (a Abilities) Can(v Verb) bool {
	switch v {
	case On, Off, Reset:
		return a.Power
	case RescueOn, RescueOff:
		return a.Rescue
	case Reinstall:
		return a.Reinstall
	case Take, Drop, Restore:
		return a.Snapshots
	}
	return false
}
